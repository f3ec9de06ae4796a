import { Temporal } from 'temporal-polyfill'
import { formatWeek } from '../../platform/lib/period.ts'
import type { QualityJson } from '../../reports/quality/schema.ts'
import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { ApiError, ApiUnavailableError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { dayAfter } from '../frame/dates.ts'
import { formatAddress, Fields } from '../frame/fields.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { formatTitle as pageTitle } from '../frame/page-title.ts'
import { fetchReport, renderReport } from './report-page.ts'
import { formatCsvAddress, parseQuery, quoteName, unquoteName } from './query.ts'
import { buildManagerSheets, buildWeekColumns, formatWeeklyTitle, buildWeeklyView } from './weekly.ts'
import { parseWeekBounds, computeLastWeeks } from './weeks.ts'
import { buildCoverage, createFigureFormatter, type FigureFormatter } from './figure-formatter.ts'
import { buildHeatLegend, buildHeatMaps, type HeatMap } from './heat.ts'
import { createSortContext, sortTable, type SortContext } from './report-sorting.ts'
import { isEmpty } from './weekly-lead.ts'

const WEEKLY_FIELDS = ['week', 'department', 'manager'] as const
const WEEKLY_REPORT_PATH = '/v1/analytics/weekly-report'

export const weeklyRoutes: Route[] = [
  { method: 'get', path: '/analytics/weekly', handle: showWeek },
  { method: 'get', path: '/analytics/weekly/sheets', handle: showSheets },
  {
    method: 'get',
    path: '/analytics/weekly.csv',
    handle: (context) =>
      streamFromApi(
        context,
        formatCsvAddress(WEEKLY_REPORT_PATH, parseQuery(context, WEEKLY_FIELDS).collectFilled(...WEEKLY_FIELDS)),
      ),
  },
]

async function showWeek(context: PageContext): Promise<void> {
  const barQuery = parseQuery(context)
  const weekQuery = withDefaultWeek(parseQuery(context, WEEKLY_FIELDS), barQuery.raw('to'))
  const address = formatAddress(WEEKLY_REPORT_PATH, weekQuery.collectFilled(...WEEKLY_FIELDS))
  const result = await fetchReport<WeeklyJson>(context, address, { known: [404] })
  const { report, facets } = result
  const { language } = context
  const t = language.words.analytics
  const scope = weekQuery.collectFilled('department', 'manager')
  const formatter =
    report &&
    createFigureFormatter(
      language,
      { from: report.period.from, to: report.period.to, ...scope },
      context.panel.config.SCORE_BANDS,
    )
  const query = { ...(report && { week: report.week }), ...scope }
  const sorting = createSortContext(context, '/analytics/weekly', query)
  const view = formatter && buildWeeklyView(report, formatter, sorting)
  const values = Fields.of({ ...weekQuery.collectFilled(...WEEKLY_FIELDS), ...query })
  await renderReport(
    context,
    'analytics/weekly',
    { name: 'weekly', query: weekQuery, filledQuery: barQuery, values, fields: WEEKLY_FIELDS },
    result,
    {
      title: pageTitle(t.reports.weekly, [
        view?.title,
        facets.departments.find(({ id }) => id === weekQuery.raw('department'))?.name,
        unquoteName(weekQuery.raw('manager')),
      ]),
      heading: view?.title ?? t.reports.weekly,
      weeks: report ? buildWeekOptions(report, context) : [],
      legend: formatter && buildHeatLegend(formatter),
      retry: formatAddress('/analytics/weekly', query),
      csv: formatAddress('/analytics/weekly.csv', query),
      sheets: formatAddress('/analytics/weekly/sheets', query),
      sheetOf: (name: string) =>
        formatAddress('/analytics/weekly/sheets', { week: report!.week, manager: quoteName(name) }),
      none: t.weekly.noneYet,
      view,
      heat:
        report && formatter && !isEmpty(report.kpis)
          ? await fetchHeatMaps(context, report, scope, formatter, sorting)
          : undefined,
      coverage: formatter && buildCoverage(report, formatter),
    },
  )
}

/** Fetches the heat maps of the week; null if the API rejects the request or is unavailable. */
async function fetchHeatMaps(
  { api }: PageContext,
  { period }: WeeklyJson,
  scope: Record<string, string>,
  formatter: FigureFormatter,
  sorting: SortContext,
): Promise<HeatMap[] | null> {
  const address = formatAddress('/v1/analytics/quality', { from: period.from, to: period.to, ...scope })
  try {
    return buildHeatMaps(await api.fetch<QualityJson>(address), formatter).map((map) => sortTable(map, sorting))
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiUnavailableError) return null
    throw error
  }
}

/** Without a week in the address, selects the last complete week before the end of the previous report's period. */
function withDefaultWeek(weekQuery: Fields, to: string): Fields {
  const after = dayAfter(to)?.slice(0, 10)
  return weekQuery.raw('week') === '' && after ? weekQuery.with('week', computeLastWeeks(after, 1)[0]!) : weekQuery
}

/** Renders a printable summary for each manager in the scope of the query, one per page. */
async function showSheets(context: PageContext): Promise<void> {
  const query = parseQuery(context, WEEKLY_FIELDS).collectFilled(...WEEKLY_FIELDS)
  const report = await context.api.fetch<WeeklyJson>(formatAddress(WEEKLY_REPORT_PATH, query))
  const { language } = context
  const week = formatWeeklyTitle(report, language)
  const formatter = createFigureFormatter(language, report.period, context.panel.config.SCORE_BANDS)
  await renderPage(context, 'analytics/sheets', {
    title: pageTitle(language.words.analytics.weekly.sheets, [unquoteName(query.manager ?? ''), week]),
    week,
    isComputed: report.state === 'not-kept',
    columns: buildWeekColumns(report, formatter),
    isRunning: report.state === 'running',
    sheets: buildManagerSheets(report, formatter),
    back: formatAddress('/analytics/weekly', query),
  })
}

/** Offers the weeks of half a year. Stored older weeks are added to them. */
const OFFERED_WEEKS = 26

/** Builds the options of the week filter, newest first. */
function buildWeekOptions({ week, kept }: WeeklyJson, { language: { format } }: PageContext) {
  const today = format.dayOf(new Date().toISOString())
  const weeks = new Set([
    week,
    ...kept,
    formatWeek(Temporal.PlainDate.from(today)),
    ...computeLastWeeks(today, OFFERED_WEEKS),
  ])
  return [...weeks]
    .toSorted()
    .toReversed()
    .map((value) => ({ value, text: format.days(...parseWeekBounds(value)) }))
}
