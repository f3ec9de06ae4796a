import type { Counts, DayCounts } from '../../crm/reconciliation/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { loadFrame, renderPage, type PageContext, type Route } from '../frame/context.ts'
import { readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import { faultyForm, freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'

export const reconciliationRoutes: Route[] = [{ method: 'get', path: '/reconciliation', handle: show }]

interface Reconciled {
  days: DayCounts[]
  totals: Counts
}

/** In this order: what came here, and then what did not. */
const COLUMNS = [
  'inCrm',
  'received',
  'done',
  'inWork',
  'failed',
  'cancelled',
  'deleted',
  'loading',
  'awaitingFile',
  'loadFailed',
  'skipped',
] as const

async function show(context: PageContext): Promise<void> {
  const asked = readAsked(context)
  const [answer] = await Promise.all([read(context, asked), loadFrame(context)])
  const { language } = context
  const { words, format } = language
  const found = answer instanceof ApiError ? undefined : answer
  if (!found) context.ctx.status = 400
  renderPage(context, 'reconciliation/index', {
    title: words.reconciliation.title,
    form: answer instanceof ApiError ? faultyForm(answer, asked, ['from', 'to'], language) : freshForm(asked),
    columns: COLUMNS,
    rows: found?.days.map((day) => ({
      iso: day.day,
      day: format.day(day.day),
      manager: day.manager ?? words.reconciliation.nobody,
      values: valuesOf(day, language),
    })),
    sum: found && valuesOf(found.totals, language),
    reasons: found && reasonsOf(found.totals, language),
  })
}

function readAsked({ ctx, language: { format } }: PageContext): Fields {
  const one = (value: unknown) => (typeof value === 'string' ? readDay(value.trim()) : '')
  const today = format.dayOf(new Date().toISOString())
  const weekAgo = new Date(Date.parse(today) - 6 * 86_400_000).toISOString().slice(0, 10)
  return Fields.of({ from: one(ctx.query.from) || weekAgo, to: one(ctx.query.to) || today })
}

/** @returns the API's refusal where the period is none */
async function read({ api }: PageContext, asked: Fields): Promise<Reconciled | ApiError> {
  const query = new URLSearchParams(asked.filled('from', 'to')).toString()
  try {
    return await api.read<Reconciled>(`/v1/crm/reconciliation?${query}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
}

const countOf = (counts: Counts, name: (typeof COLUMNS)[number]): number =>
  name === 'skipped' ? Object.values(counts.skipped).reduce((all, n) => all + n, 0) : counts[name]

const valuesOf = (counts: Counts, { format }: Language): string[] =>
  COLUMNS.map((name) => format.number(countOf(counts, name)))

const reasonsOf = ({ skipped }: Counts, { words, format }: Language) =>
  Object.entries(skipped)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, n]) => ({ name: words.reconciliation.reasons[reason] ?? reason, value: format.number(n) }))
