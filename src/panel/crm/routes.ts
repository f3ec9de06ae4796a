import type { AutomationJson, ConnectionJson } from '../../crm/automation/schema.ts'
import type { LoadsPage } from '../../crm/history/schema.ts'
import type { QuarantinedRowJson } from '../../crm/quarantine/schema.ts'
import type { RosterJson } from '../../crm/managers/schema.ts'
import type { StepJson } from '../../crm/steps/schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import { switchAutomatic } from '../analysis/routes.ts'
import { ApiError } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, seeOther, type PageContext, type Route } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { readAll } from '../frame/read-all.ts'
import { checklist, type CrmState } from './checklist.ts'
import { loadSetup } from './owner-lines.ts'
import { quarantinedRow, stepRow } from './view.ts'

const CHANGES = ['confirm', 'enable', 'pause', 'resume', 'disable'] as const

export const crmRoutes: Route[] = [
  { method: 'get', path: '/automation', handle: showAutomation },
  { method: 'post', path: '/automation/check', handle: check },
  { method: 'post', path: '/automation/checking', handle: (context) => switchAutomatic(context, true, '/automation') },
  ...CHANGES.map((change): Route => ({
    method: 'post',
    path: `/automation/${change}`,
    handle: (context) => changeTo(context, change),
  })),
  { method: 'get', path: '/automation/steps', handle: showSteps },
  { method: 'post', path: '/automation/steps', handle: resetAll },
  { method: 'post', path: '/automation/steps/:name/run', handle: (context) => changeStep(context, 'run') },
  { method: 'post', path: '/automation/steps/:name/reset', handle: (context) => changeStep(context, 'reset') },
]

async function loadState(context: PageContext): Promise<CrmState> {
  const { api } = context
  const [connection, automation, roster, departments, loads, setup] = await Promise.all([
    api.read<ConnectionJson>('/v1/crm/connection'),
    api.read<AutomationJson>('/v1/crm/automation'),
    api.read<RosterJson>('/v1/crm/roster'),
    readAll<DepartmentJson>(api, '/v1/departments'),
    api.read<LoadsPage>('/v1/crm/history/loads?pageSize=1'),
    loadSetup(context),
  ])
  return { connection, automation, roster, departments, loads: loads.items, setup }
}

async function showAutomation(context: PageContext, form: Form = freshForm()): Promise<void> {
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

async function check(context: PageContext): Promise<void> {
  await context.api.send('POST', '/v1/crm/connection/check')
  seeOther(context.ctx, '/automation')
}

async function changeTo(context: PageContext, change: (typeof CHANGES)[number]): Promise<void> {
  try {
    await context.api.send('POST', `/v1/crm/automation/${change}`)
    seeOther(context.ctx, '/automation', context.language.words.crm.notices[change])
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const fields = await readFields(context.ctx)
    const form = formWithErrors(error, fields, [], context.language)
    context.ctx.status = error.status
    await showAutomation(context, form)
  }
}

async function showSteps(context: PageContext, form: Form = freshForm()): Promise<void> {
  const isPart = isRefresh(context.ctx)
  const page = pageOf(context.ctx.query.page)
  const [steps, quarantine] = await Promise.all([
    context.api.read<StepJson[]>('/v1/crm/steps'),
    isPart ? null : context.api.read<QuarantinePage>(`/v1/crm/quarantine?page=${page}`),
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

interface QuarantinePage {
  items: QuarantinedRowJson[]
  total: number
  pageSize: number
}

async function changeStep(context: PageContext, change: 'run' | 'reset'): Promise<void> {
  const name = encodeURIComponent(String(context.ctx.params.name))
  try {
    await context.api.send('POST', `/v1/crm/steps/${name}/${change}`)
    seeOther(context.ctx, '/automation/steps', context.language.words.crm.notices[change])
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const form = formWithErrors(error, await readFields(context.ctx), [], context.language)
    context.ctx.status = error.status
    await showSteps(context, form)
  }
}

async function resetAll(context: PageContext): Promise<void> {
  await context.api.send('POST', '/v1/crm/reset')
  seeOther(context.ctx, '/automation/steps', context.language.words.crm.notices.resetAll)
}
