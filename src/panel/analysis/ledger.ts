import type { ModelRequestJson } from '../../check/model/schema.ts'
import { dayAfter, readDay } from '../frame/dates.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'

export const ledgerRoutes: Route[] = [{ method: 'get', path: '/analysis/requests', handle: showLedger }]

const PAGE_SIZE = 50

/** The filters of the ledger in the address; both days are included. */
interface Filters {
  from: string
  to: string
  call: string
}

async function showLedger(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const given = readFilters(context)
  const page = pageOf(ctx.query.page)
  const errors = errorsOf(given, context.language)
  const asked = addressOf('/v1/model-requests', {
    page: String(page),
    pageSize: String(PAGE_SIZE),
    ...(given.from && !errors.from && { from: given.from }),
    ...(given.to && !errors.to && { to: dayAfter(given.to)! }),
    ...(given.call && { recordingId: given.call }),
  })
  const { items, total } = await api.read<{ items: ModelRequestJson[]; total: number }>(asked)
  const { language } = context
  const t = language.words.analysis
  const address = (more: Record<string, string>) => addressOf('/analysis/requests', { ...given, ...more })
  await renderPage(context, 'analysis/requests', {
    title: t.ledger.title,
    // Translated from the stored reason.
    form: { values: Fields.of({ ...given }), errors: errorsOf(given, language), error: null },
    rows: items.map((one) => requestRow(one, address, language)),
    total,
    all: given.call ? address({ call: '' }) : null,
    paging: pagingOf(page, PAGE_SIZE, total, (page) => address({ page: page > 1 ? String(page) : '' })),
  })
}

function readFilters({ ctx }: PageContext): Filters {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim().slice(0, 40) : '')
  const call = text(ctx.query.call)
  return {
    from: readDay(text(ctx.query.from)),
    to: readDay(text(ctx.query.to)),
    call: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(call) ? call : '',
  }
}

/** The invalid days, which filter nothing. */
function errorsOf({ from, to }: Filters, { words }: Language): Record<string, string> {
  const isDay = (text: string) => dayAfter(text) !== undefined
  return {
    ...(from && !isDay(from) && { from: words.rules.day }),
    ...(to && (!isDay(to) ? { to: words.rules.day } : from && isDay(from) && to < from && { to: words.analysis.ledger.backwards })), // prettier-ignore
  }
}

const STATES = { sent: 'processing', answered: 'done', failed: 'failed' } as const

/** A request as a row: the address, the response, the cost. */
function requestRow(one: ModelRequestJson, address: (more: Record<string, string>) => string, language: Language) {
  const { words, format } = language
  const t = words.analysis.ledger
  const { id, at, recordingId, host, model, purpose, attempt, bytes, bodySha256, redactions, state, statusCode } = one
  const { inputTokens, outputTokens, reasoningTokens, cost, durationMs, error } = one
  return {
    id,
    iso: at,
    time: format.shortTimeToSecond(at),
    call: recordingId && { href: `/recordings/${recordingId}`, only: address({ call: recordingId, page: '' }) },
    host,
    model,
    purpose: attempt > 1 ? `${t.purposes[purpose]}, ${t.attempt(format.number(attempt))}` : t.purposes[purpose],
    size: format.size(bytes),
    hash: bodySha256,
    masked: format.number(redactions),
    tokens: inputTokens === null || outputTokens === null ? '—' : `${format.number(inputTokens)} + ${format.number(outputTokens)}`, // prettier-ignore
    thought: reasoningTokens === null ? null : t.thought(format.number(reasoningTokens)),
    cost: cost === null ? '—' : format.money(cost.amount, cost.currency),
    took: durationMs === null ? '—' : t.seconds(format.number(Math.round(durationMs / 100) / 10)),
    badge: { kind: STATES[state], text: [t.states[state], statusCode].filter(Boolean).join(' ') },
    error,
  }
}
