import type { HistoryEstimateJson, HistoryLoadJson, HistoryLoadsPage } from '../../crm/history/schema.ts'
import type { ApiError } from '../frame/api-client.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext, type PanelRoute } from '../frame/context.ts'
import { parseDay } from '../frame/dates.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { submitChange } from '../frame/submit.ts'

const PATH = '/automation/history'
const PAGE_SIZE = 25
const EMPTY_PERIOD = FormValues.of({ from: '', to: '' })
const LOAD_CHANGES = ['pause', 'resume', 'cancel'] as const

export const crmHistoryRoutes: PanelRoute[] = [
  { method: 'get', path: PATH, handle: (context) => showHistory(context) },
  { method: 'post', path: PATH, handle: estimate },
  { method: 'post', path: `${PATH}/loads`, handle: startLoad },
  ...LOAD_CHANGES.map((change): PanelRoute => ({
    method: 'post',
    path: `${PATH}/loads/:id/${change}`,
    handle: (context) => changeLoad(context, change),
  })),
]

async function showHistory(
  context: PageContext,
  form: FormState = createFormState(EMPTY_PERIOD),
  fetchedEstimate?: HistoryEstimateJson,
): Promise<void> {
  const isPart = isPartialRefresh(context.ctx) && context.ctx.method === 'GET'
  const page = parsePageNumber(context.ctx.query.page)
  const { items, total } = await context.api.fetch<HistoryLoadsPage>(
    `/v1/crm/history/loads?page=${page}&pageSize=${PAGE_SIZE}`,
  )
  const { language } = context
  const data = {
    loads: items.map((load) => buildLoadRow(load, language)),
    isLive: items.some(({ state }) => state === 'running'),
    here: formatPagePath(page),
    paging: buildPaging(page, PAGE_SIZE, total, formatPagePath),
  }
  if (isPart) return renderPageParts(context, ['crm-calls/_loads'], data)
  const estimate = fetchedEstimate && { ...fetchedEstimate, figures: buildFigures(fetchedEstimate, language) }
  await renderPage(context, 'crm-calls/history', {
    title: language.words.crmCalls.history.title,
    form,
    estimate,
    ...data,
  })
}

const formatPagePath = (page: number): string => (page > 1 ? `${PATH}?page=${page}` : PATH)

const STATE_BADGES = { running: 'processing', paused: '', done: 'done', cancelled: '', failed: 'failed' }

function buildLoadRow(load: HistoryLoadJson, language: Language) {
  const { words, format } = language
  const { state } = load
  return {
    id: load.id,
    // `to` is exclusive, so the last shown moment is 1 ms before it.
    period: [load.from, new Date(Date.parse(load.to) - 1).toISOString()]
      .map((iso) => format.day(format.dayOf(iso)))
      .join(' – '),
    badge: { kind: STATE_BADGES[state], text: words.crmCalls.history.states[state]! },
    error: load.lastError,
    counts: (['found', 'loaded', 'skipped', 'failed', 'waiting'] as const).map((name) => ({
      name,
      value: format.number(load[name]),
    })),
    change: state === 'running' ? 'pause' : state === 'paused' || state === 'failed' ? 'resume' : undefined,
    mayCancel: ['running', 'paused', 'failed'].includes(state),
  }
}

function buildFigures(estimate: HistoryEstimateJson, { words, format }: Language) {
  const { figures: t, span } = words.crmCalls.history
  const range = ({ low, high }: HistoryEstimateJson['loadSeconds']) => formatRange(span(low), span(high))
  return [
    { name: t.calls, value: format.number(estimate.calls) },
    { name: t.alreadyHere, value: format.number(estimate.alreadyHere) },
    { name: t.hours, value: format.number(Math.round(estimate.hours)) },
    { name: t.disk, value: format.size(estimate.diskBytes) },
    { name: t.load, value: range(estimate.loadSeconds) },
    { name: t.recognition, value: range(estimate.recognitionSeconds) },
  ]
}

/** Shortens a range with a common unit, such as `4–6 min`. Otherwise returns both durations: `40 s – 2 min`. */
function formatRange(low: string, high: string): string {
  const unit = /^\S+(\s\S+)$/.exec(low)?.[1]
  if (low === high) return low
  return unit && high.endsWith(unit) ? `${low.slice(0, -unit.length)}–${high}` : `${low} – ${high}`
}

async function estimate(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const period = { from: parseDay(fields.text('from')), to: parseDay(fields.text('to')) }
  try {
    const { body } = await api.send<HistoryEstimateJson>('POST', '/v1/crm/history/estimates', period)
    await showHistory(context, createFormState(FormValues.of(period)), body)
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['from', 'to'], context.language)
    ctx.status = (error as ApiError).status
    await showHistory(context, form)
  }
}

async function startLoad(context: PageContext): Promise<void> {
  const estimateId = (await parsePostedForm(context.ctx)).text('estimateId')
  await postLoadChange(context, '', 'started', { estimateId })
}

const changeLoad = (context: PageContext, change: (typeof LOAD_CHANGES)[number]): Promise<void> =>
  postLoadChange(context, `/${encodeURIComponent(String(context.ctx.params.id))}/${change}`, change)

const postLoadChange = (context: PageContext, path: string, notice: string, body?: object): Promise<void> =>
  submitChange(context, () => context.api.send('POST', `/v1/crm/history/loads${path}`, body), {
    to: PATH,
    notice: () => context.language.words.crmCalls.history.notices[notice],
    show: (form) => showHistory(context, form),
    values: EMPTY_PERIOD,
  })
