import type { QuarantinedRowJson } from '../../crm/quarantine/schema.ts'
import type { ResultPage as ListPage } from '../../platform/db/page.ts'
import type { CrmStepJson } from '../../crm/steps/schema.ts'
import { setAutomaticChecking } from '../analysis/page.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext, type PanelRoute } from '../frame/context.ts'
import { createFormState } from '../frame/form.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { submitChange } from '../frame/submit.ts'
import { buildSetupChecklistView, fetchCrmState } from './checklist-view.ts'
import { buildQuarantinedRow, buildCrmStepRow } from './view.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { crmManagerRoutes } from './managers.ts'
import { crmWords } from './words.ts'

const AUTOMATION_CHANGES = ['confirm', 'enable', 'pause', 'resume', 'disable'] as const

export const crmPage: Page<'crm', typeof crmWords> = {
  name: 'crm',
  words: crmWords,
  routes: [
    { method: 'get', path: '/automation', handle: (context) => showAutomation(context) },
    { method: 'post', path: '/automation/check', handle: (context) => changeAutomation(context, 'connection/check') },
    {
      method: 'post',
      path: '/automation/checking',
      handle: (context) => setAutomaticChecking(context, true, findListPage(context)),
    },
    ...AUTOMATION_CHANGES.map((change): PanelRoute => ({
      method: 'post',
      path: `/automation/${change}`,
      handle: (context) => changeAutomation(context, `automation/${change}`, change),
    })),
    { method: 'get', path: '/automation/steps', handle: (context) => showSteps(context) },
    { method: 'post', path: '/automation/steps', handle: (context) => changeSteps(context, 'reset', 'resetAll') },
    ...(['run', 'reset'] as const).map((change): PanelRoute => ({
      method: 'post',
      path: `/automation/steps/:name/${change}`,
      handle: (context) => {
        const name = encodeURIComponent(String(context.ctx.params.name))
        return changeSteps(context, `steps/${name}/${change}`, change)
      },
    })),
    ...crmManagerRoutes,
  ],
  menu: { href: '/automation', title: crmWords.title, group: 'settings', for: isOwner },
  styles: ['crm'],
}

async function showAutomation(context: PageContext, form = createFormState()): Promise<void> {
  const isPart = isPartialRefresh(context.ctx)
  const state = await fetchCrmState(context)
  const { language } = context
  const { words } = language
  const data = {
    state: state.automation.state,
    badge: { kind: STATE_BADGES[state.automation.state], text: words.crm.states[state.automation.state] },
    lines: buildSetupChecklistView(state, language),
  }
  if (isPart) return renderPageParts(context, ['crm/_checklist'], data)
  await renderPage(context, 'crm/index', { title: words.crm.title, form, ...data })
}

const STATE_BADGES = { off: '', on: 'done', paused: '', blocked: 'failed' }

const changeAutomation = (context: PageContext, path: string, notice?: string): Promise<void> =>
  submitChange(context, () => context.api.send('POST', `/v1/crm/${path}`), {
    to: findListPage(context),
    notice: () => notice && context.language.words.crm.notices[notice],
    show: (form) => showAutomation(context, form),
  })

/** Returns the path of the page that sent the form, by its Referer: the home page or /automation. */
function findListPage({ ctx }: PageContext): string {
  const sender = ctx.get('Referer')
  return URL.canParse(sender) && new URL(sender).pathname === '/' ? '/' : '/automation'
}

async function showSteps(context: PageContext, form = createFormState()): Promise<void> {
  const isPart = isPartialRefresh(context.ctx)
  const page = parsePageNumber(context.ctx.query.page)
  const [steps, quarantine] = await Promise.all([
    context.api.fetch<CrmStepJson[]>('/v1/crm/steps'),
    isPart ? null : context.api.fetch<ListPage<QuarantinedRowJson>>(`/v1/crm/quarantine?page=${page}`),
  ])
  const { items = [], total = 0, pageSize = 1 } = quarantine ?? {}
  const { language } = context
  const data = { steps: steps.map((step) => buildCrmStepRow(step, language)) }
  if (isPart) return renderPageParts(context, ['crm/_steps'], data)
  await renderPage(context, 'crm/steps', {
    title: language.words.crm.advanced.title,
    form,
    ...data,
    quarantined: items.map((row) => buildQuarantinedRow(row, language)),
    paging: total > 0 ? buildPaging(page, pageSize, total, (n) => `/automation/steps?page=${n}`) : null,
  })
}

const changeSteps = (context: PageContext, path: string, notice: string): Promise<void> =>
  submitChange(context, () => context.api.send('POST', `/v1/crm/${path}`), {
    to: '/automation/steps',
    notice: () => context.language.words.crm.notices[notice],
    show: (form) => showSteps(context, form),
  })
