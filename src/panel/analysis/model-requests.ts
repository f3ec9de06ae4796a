import type { ModelRequestJson } from '../../check/model/schema.ts'
import { getDayAfter, parseDay } from '../frame/dates.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { renderPage, type PageContext, type PanelRoute } from '../frame/context.ts'

export const modelRequestLogRoutes: PanelRoute[] = [
  { method: 'get', path: '/analysis/requests', handle: showModelRequests },
]

const PAGE_SIZE = 50

/** Values of the address; `from` and `to` are included days. */
interface Filters {
  from: string
  to: string
  call: string
}

async function showModelRequests(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const filters = parseFilters(context)
  const page = parsePageNumber(ctx.query.page)
  const errors = validateDays(filters, context.language)
  const apiAddress = formatPathWithQuery('/v1/model-requests', {
    page: String(page),
    pageSize: String(PAGE_SIZE),
    ...(filters.from && !errors.from && { from: filters.from }),
    ...(filters.to && !errors.to && { to: getDayAfter(filters.to)! }),
    ...(filters.call && { recordingId: filters.call }),
  })
  const { items, total } = await api.fetch<{ items: ModelRequestJson[]; total: number }>(apiAddress)
  const { language } = context
  const t = language.words.analysis
  const address = (more: Record<string, string>) => formatPathWithQuery('/analysis/requests', { ...filters, ...more })
  await renderPage(context, 'analysis/requests', {
    title: t.ledger.title,
    form: { values: FormValues.of({ ...filters }), errors: validateDays(filters, language), error: null },
    rows: items.map((request) => buildRequestRow(request, address, language)),
    total,
    all: filters.call ? address({ call: '' }) : null,
    paging: buildPaging(page, PAGE_SIZE, total, (page) => address({ page: page > 1 ? String(page) : '' })),
  })
}

function parseFilters({ ctx }: PageContext): Filters {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim().slice(0, 40) : '')
  const call = text(ctx.query.call)
  return {
    from: parseDay(text(ctx.query.from)),
    to: parseDay(text(ctx.query.to)),
    call: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(call) ? call : '',
  }
}

/** Returns an error for each day that cannot be parsed or that reverses the period. The query omits these days. */
function validateDays({ from, to }: Filters, { words }: Language): Record<string, string> {
  const isDay = (text: string) => getDayAfter(text) !== undefined
  return {
    ...(from && !isDay(from) && { from: words.rules.day }),
    ...(to && (!isDay(to) ? { to: words.rules.day } : from && isDay(from) && to < from && { to: words.analysis.ledger.backwards })), // prettier-ignore
  }
}

const STATE_BADGES = { sent: 'processing', answered: 'done', failed: 'failed' } as const

function buildRequestRow(
  request: ModelRequestJson,
  address: (more: Record<string, string>) => string,
  language: Language,
) {
  const { words, format } = language
  const t = words.analysis.ledger
  const { id, at, recordingId, host, model, purpose, attempt, bytes, bodySha256, redactions, state, statusCode } =
    request
  const { inputTokens, outputTokens, reasoningTokens, cost, durationMs, error } = request
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
    badge: { kind: STATE_BADGES[state], text: [t.states[state], statusCode].filter(Boolean).join(' ') },
    error,
  }
}
