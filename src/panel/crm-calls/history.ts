import type { EstimateJson, LoadJson, LoadsPage } from '../../crm/history/schema.ts'
import type { ApiError } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, type PageContext, type Route } from '../frame/context.ts'
import { readDay } from '../frame/dates.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { submit } from '../frame/submit.ts'

const PATH = '/automation/history'
const PAGE_SIZE = 25
const NO_PERIOD = Fields.of({ from: '', to: '' })
const CHANGES = ['pause', 'resume', 'cancel'] as const

export const historyRoutes: Route[] = [
  { method: 'get', path: PATH, handle: (context) => showHistory(context) },
  { method: 'post', path: PATH, handle: estimate },
  { method: 'post', path: `${PATH}/loads`, handle: start },
  ...CHANGES.map((change): Route => ({
    method: 'post',
    path: `${PATH}/loads/:id/${change}`,
    handle: (context) => changeLoad(context, change),
  })),
]

async function showHistory(
  context: PageContext,
  form: Form = freshForm(NO_PERIOD),
  estimated?: EstimateJson,
): Promise<void> {
  const isPart = isRefresh(context.ctx) && context.ctx.method === 'GET'
  const page = pageOf(context.ctx.query.page)
  const { items, total } = await context.api.read<LoadsPage>(`/v1/crm/history/loads?page=${page}&pageSize=${PAGE_SIZE}`)
  const { language } = context
  const data = {
    loads: items.map((load) => loadRow(load, language)),
    isLive: items.some(({ state }) => state === 'running'),
    here: pathOf(page),
    paging: pagingOf(page, PAGE_SIZE, total, pathOf),
  }
  if (isPart) return renderParts(context, ['crm-calls/_loads'], data)
  const estimate = estimated && { ...estimated, figures: figuresOf(estimated, language) }
  await renderPage(context, 'crm-calls/history', {
    title: language.words.crmCalls.history.title,
    form,
    estimate,
    ...data,
  })
}

const pathOf = (page: number): string => (page > 1 ? `${PATH}?page=${page}` : PATH)

const BADGES = { running: 'processing', paused: '', done: 'done', cancelled: '', failed: 'failed' }

function loadRow(load: LoadJson, language: Language) {
  const { words, format } = language
  const { state } = load
  return {
    id: load.id,
    // The last day of a period is the one before its end.
    period: [load.from, new Date(Date.parse(load.to) - 1).toISOString()]
      .map((iso) => format.day(format.dayOf(iso)))
      .join(' – '),
    badge: { kind: BADGES[state], text: words.crmCalls.history.states[state]! },
    error: load.lastError,
    counts: (['found', 'loaded', 'skipped', 'failed', 'waiting'] as const).map((name) => ({
      name,
      value: format.number(load[name]),
    })),
    change: state === 'running' ? 'pause' : state === 'paused' || state === 'failed' ? 'resume' : undefined,
    mayCancel: ['running', 'paused', 'failed'].includes(state),
  }
}

function figuresOf(estimate: EstimateJson, { words, format }: Language) {
  const { figures: t, span } = words.crmCalls.history
  const range = ({ low, high }: EstimateJson['loadSeconds']) => rangeOf(span(low), span(high))
  return [
    { name: t.calls, value: format.number(estimate.calls) },
    { name: t.alreadyHere, value: format.number(estimate.alreadyHere) },
    { name: t.hours, value: format.number(Math.round(estimate.hours)) },
    { name: t.disk, value: format.size(estimate.diskBytes) },
    { name: t.load, value: range(estimate.loadSeconds) },
    { name: t.recognition, value: range(estimate.recognitionSeconds) },
  ]
}

/** 4–6 min, or 40 s – 2 min. */
function rangeOf(low: string, high: string): string {
  const unit = /^\S+(\s\S+)$/.exec(low)?.[1]
  if (low === high) return low
  return unit && high.endsWith(unit) ? `${low.slice(0, -unit.length)}–${high}` : `${low} – ${high}`
}

async function estimate(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const period = { from: readDay(fields.text('from')), to: readDay(fields.text('to')) }
  try {
    const { body } = await api.send<EstimateJson>('POST', '/v1/crm/history/estimates', period)
    await showHistory(context, freshForm(Fields.of(period)), body)
  } catch (error) {
    const form = formWithErrors(error, fields, ['from', 'to'], context.language)
    ctx.status = (error as ApiError).status
    await showHistory(context, form)
  }
}

async function start(context: PageContext): Promise<void> {
  const estimateId = (await readFields(context.ctx)).text('estimateId')
  await send(context, '', 'started', { estimateId })
}

const changeLoad = (context: PageContext, change: (typeof CHANGES)[number]): Promise<void> =>
  send(context, `/${encodeURIComponent(String(context.ctx.params.id))}/${change}`, change)

const send = (context: PageContext, path: string, notice: string, body?: object): Promise<void> =>
  submit(context, () => context.api.send('POST', `/v1/crm/history/loads${path}`, body), {
    to: PATH,
    notice: () => context.language.words.crmCalls.history.notices[notice],
    show: (form) => showHistory(context, form),
    values: NO_PERIOD,
  })
