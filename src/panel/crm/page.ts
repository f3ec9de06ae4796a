import type { AutomationJson, ConnectionJson } from '../../crm/automation/schema.ts'
import type { LoadsPage } from '../../crm/history/schema.ts'
import type { QuarantinedRowJson } from '../../crm/quarantine/schema.ts'
import type { RosterJson } from '../../crm/managers/schema.ts'
import type { Page as ListPage } from '../../platform/db/page.ts'
import type { StepJson } from '../../crm/steps/schema.ts'
import { switchAutomatic } from '../analysis/page.ts'
import { isRefresh, renderPage, renderParts, type PageContext, type Route } from '../frame/context.ts'
import { freshForm } from '../frame/form.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { departmentsOf } from '../frame/read-all.ts'
import { submit } from '../frame/submit.ts'
import { checklist, type CrmState } from './checklist.ts'
import { loadSetup } from './owner-lines.ts'
import { quarantinedRow, stepRow } from './view.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { managersRoutes } from './managers.ts'
import { crm } from './words.ts'

const CHANGES = ['confirm', 'enable', 'pause', 'resume', 'disable'] as const

export const crmPage: Page<'crm', typeof crm> = {
  name: 'crm',
  words: crm,
  routes: [
    { method: 'get', path: '/automation', handle: (context) => showAutomation(context) },
    { method: 'post', path: '/automation/check', handle: (context) => changeAutomation(context, 'connection/check') },
    {
      method: 'post',
      path: '/automation/checking',
      handle: (context) => switchAutomatic(context, true, '/automation'),
    },
    ...CHANGES.map((change): Route => ({
      method: 'post',
      path: `/automation/${change}`,
      handle: (context) => changeAutomation(context, `automation/${change}`, change),
    })),
    { method: 'get', path: '/automation/steps', handle: (context) => showSteps(context) },
    { method: 'post', path: '/automation/steps', handle: (context) => changeSteps(context, 'reset', 'resetAll') },
    ...(['run', 'reset'] as const).map((change): Route => ({
      method: 'post',
      path: `/automation/steps/:name/${change}`,
      handle: (context) => {
        const name = encodeURIComponent(String(context.ctx.params.name))
        return changeSteps(context, `steps/${name}/${change}`, change)
      },
    })),
    ...managersRoutes,
  ],
  menu: { href: '/automation', title: crm.title, group: 'settings', for: isOwner },
  styles: ['crm'],
}

async function loadState(context: PageContext): Promise<CrmState> {
  const { api } = context
  const [connection, automation, roster, departments, loads, setup] = await Promise.all([
    api.read<ConnectionJson>('/v1/crm/connection'),
    api.read<AutomationJson>('/v1/crm/automation'),
    api.read<RosterJson>('/v1/crm/roster'),
    departmentsOf(context),
    api.read<LoadsPage>('/v1/crm/history/loads?pageSize=1'),
    loadSetup(context),
  ])
  return { connection, automation, roster, departments, loads: loads.items, setup }
}

async function showAutomation(context: PageContext, form = freshForm()): Promise<void> {
  const isPart = isRefresh(context.ctx)
  const state = await loadState(context)
  const { language } = context
  const { words, format } = language
  const data = {
    state: state.automation.state,
    badge: { kind: BADGES[state.automation.state], text: words.crm.states[state.automation.state] },
    lines: checklist(state, language).map((line) => ({
      ...line,
      badge: { kind: LINE_BADGES[line.state], text: words.crm[line.state] },
      time: line.at && { iso: line.at, text: format.shortTime(line.at) },
    })),
  }
  if (isPart) return renderParts(context, ['crm/_checklist'], data)
  await renderPage(context, 'crm/index', { title: words.crm.title, form, ...data })
}

const BADGES = { off: '', on: 'done', paused: '', blocked: 'failed' }
const LINE_BADGES = { done: 'done', open: 'processing', later: '', look: 'failed', unknown: '' }

const changeAutomation = (context: PageContext, path: string, notice?: string): Promise<void> =>
  submit(context, () => context.api.send('POST', `/v1/crm/${path}`), {
    to: '/automation',
    notice: () => notice && context.language.words.crm.notices[notice],
    show: (form) => showAutomation(context, form),
  })

async function showSteps(context: PageContext, form = freshForm()): Promise<void> {
  const isPart = isRefresh(context.ctx)
  const page = pageOf(context.ctx.query.page)
  const [steps, quarantine] = await Promise.all([
    context.api.read<StepJson[]>('/v1/crm/steps'),
    isPart ? null : context.api.read<ListPage<QuarantinedRowJson>>(`/v1/crm/quarantine?page=${page}`),
  ])
  const { items = [], total = 0, pageSize = 1 } = quarantine ?? {}
  const { language } = context
  const data = { steps: steps.map((step) => stepRow(step, language)) }
  if (isPart) return renderParts(context, ['crm/_steps'], data)
  await renderPage(context, 'crm/steps', {
    title: language.words.crm.advanced.title,
    form,
    ...data,
    quarantined: items.map((row) => quarantinedRow(row, language)),
    paging: total > 0 ? pagingOf(page, pageSize, total, (n) => `/automation/steps?page=${n}`) : null,
  })
}

const changeSteps = (context: PageContext, path: string, notice: string): Promise<void> =>
  submit(context, () => context.api.send('POST', `/v1/crm/${path}`), {
    to: '/automation/steps',
    notice: () => context.language.words.crm.notices[notice],
    show: (form) => showSteps(context, form),
  })
