import type {
  ReconciliationControlJson,
  ReconciliationCounts,
  ReconciliationJson,
} from '../../crm/reconciliation/schema.ts'
import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { buildReportFilterBar } from '../analytics/report-page.ts'
import { REPORT_FILTER_FIELDS, parseReportQuery } from '../analytics/query.ts'
import { createReportSortContext, sortReportTable } from '../analytics/report-sorting.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { reconciledCallRoutes } from './calls.ts'
import { formatReconciliationLead } from './lead.ts'
import { RECONCILIATION_COLUMNS, findColumnCount, parseReconciliationQuery, fetchWithFormErrors } from './query.ts'
import { reconciliationWords } from './words.ts'

export const reconciliationPage: Page<'reconciliation', typeof reconciliationWords> = {
  name: 'reconciliation',
  words: reconciliationWords,
  routes: [{ method: 'get', path: '/reconciliation', handle: showReconciliation }, ...reconciledCallRoutes],
}

const QUERY_FIELDS = ['from', 'to', 'department'] as const

async function showReconciliation(context: PageContext): Promise<void> {
  const query = parseReconciliationQuery(context, QUERY_FIELDS)
  const filters = query.collectFilled(...QUERY_FIELDS)
  const [facets, { answer, form }] = await Promise.all([
    context.api.fetch<RecordingFacetsJson>('/v1/recordings/facets'),
    fetchWithFormErrors<ReconciliationJson>(
      context,
      formatPathWithQuery('/v1/crm/reconciliation', filters),
      query,
      QUERY_FIELDS,
    ),
  ])
  const { language } = context
  const { words, format } = language
  const linkTo =
    (extraFilters: Record<string, string> = {}) =>
    (state: string): string =>
      formatPathWithQuery('/reconciliation/calls', { ...filters, ...extraFilters, ...(state !== 'inCrm' && { state }) })
  await renderPage(context, 'reconciliation/index', {
    title: words.reconciliation.title,
    form,
    ...buildReportFilterBar(
      'reconciliation',
      FormValues.of({ ...parseReportQuery(context).collectFilled(...REPORT_FILTER_FIELDS), ...filters }),
      facets,
      language,
    ),
    lead: answer && answer.totals.inCrm > 0 && formatReconciliationLead(answer, language),
    table:
      answer &&
      sortReportTable(
        {
          id: 'table',
          isWhole: true,
          columns: buildColumns(language),
          rows: answer.days.map((day) => ({
            iso: day.day,
            day: format.shortDay(day.day),
            manager: day.manager ?? words.reconciliation.nobody,
            values: buildCells(
              day,
              linkTo({ from: day.day, to: day.day, manager: `"${day.manager ?? ''}"` }),
              language,
            ),
            keys: [day.day, day.manager, ...RECONCILIATION_COLUMNS.map((name) => findColumnCount(day, name))],
          })),
        },
        createReportSortContext(context, '/reconciliation', filters),
      ),
    sum: answer && buildCells(answer.totals, linkTo(), language),
    reasons: answer && buildReasonRows(answer.totals, linkTo(), language),
    unread: answer && formatDayRanges(answer.unreadDays, language),
    loadHref: isOwner(context.person) ? '/automation/history' : null,
    controls: answer?.controls.map((control) => buildControlRow(control, language)),
    advice: (['fewer', 'more'] as const)
      .filter((alarm) => answer?.controls.some((control) => control.alarm === alarm))
      .map((alarm) => words.reconciliation.control.advice[alarm]),
  })
}

/** Builds the columns of the table of days; the first click puts the latest days and the highest counts first. */
const buildColumns = ({ words: { reconciliation: t } }: Language) => [
  { text: t.columns.day, first: 'desc' as const },
  { text: t.columns.manager, first: 'asc' as const },
  ...RECONCILIATION_COLUMNS.map((name) => ({ text: t.columns[name], first: 'desc' as const })),
]

/** Formats days as ranges of consecutive days. @param days YYYY-MM-DD, newest first */
function formatDayRanges(days: string[], { format }: Language): string[] {
  const runs: { first: string; last: string }[] = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run && addDays(run.first, -1) === day) run.first = day
    else runs.push({ first: day, last: day })
  }
  return runs.map(({ first, last }) =>
    first === last ? format.shortDay(first) : `${format.shortDay(first)} – ${format.shortDay(last)}`,
  )
}

const buildCells = (counts: ReconciliationCounts, link: (state: string) => string, { format }: Language) =>
  RECONCILIATION_COLUMNS.map((name) => {
    const count = findColumnCount(counts, name)
    return { text: format.number(count), href: count > 0 ? link(name) : null }
  })

const buildReasonRows = (
  { skipped }: ReconciliationCounts,
  link: (state: string) => string,
  { words, format }: Language,
) =>
  Object.entries(skipped)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, n]) => ({
      name: words.reconciliation.reasons[reason] ?? reason,
      value: format.number(n),
      href: link(`skipped-${reason}`),
    }))

function buildControlRow(
  { day, portalCalls, ownCalls, checkedAt, alarm }: ReconciliationControlJson,
  { words, format }: Language,
) {
  return {
    iso: day,
    day: format.shortDay(day),
    portal: format.number(portalCalls),
    own: format.number(ownCalls),
    checked: { iso: checkedAt, text: format.shortTime(checkedAt) },
    alarm: alarm && words.reconciliation.control.alarms[alarm],
  }
}
