import { Temporal } from 'temporal-polyfill'
import { formatIsoWeek } from '../../platform/lib/period.ts'
import type { QualityReportJson } from '../../reports/quality/schema.ts'
import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import { ApiError, ApiUnavailableError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type PanelRoute } from '../frame/context.ts'
import { getDayAfter } from '../frame/dates.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { formatPageTitle as pageTitle } from '../frame/page-title.ts'
import { fetchReport, renderReportPage } from './report-page.ts'
import { formatReportCsvAddress, parseReportQuery } from './query.ts'
import { quoteManagerName, unquoteManagerName } from '../frame/manager-names.ts'
import {
  buildManagerSummaries,
  buildWeekColumnTitles,
  formatWeeklyReportTitle,
  buildWeeklyReportView,
} from './weekly.ts'
import { parseWeekBounds, computePastWeekNames } from './weeks.ts'
import { buildCoverageLinks, createFigureFormatter, type FigureFormatter } from './figure-formatter.ts'
import { buildHeatLegend, buildHeatSection, type HeatSection } from './heat.ts'
import { createReportSortContext, type ReportSortContext } from './report-sorting.ts'
import { isEmptyWeek } from './weekly-lead.ts'

const WEEKLY_FIELDS = ['week', 'department', 'manager'] as const
const WEEKLY_REPORT_PATH = '/v1/analytics/weekly-report'

export const weeklyReportRoutes: PanelRoute[] = [
  { method: 'get', path: '/analytics/weekly', handle: showWeek },
  { method: 'get', path: '/analytics/weekly/sheets', handle: showSheets },
  {
    method: 'get',
    path: '/analytics/weekly.csv',
    handle: (context) =>
      streamFromApi(
        context,
        formatReportCsvAddress(
          WEEKLY_REPORT_PATH,
          parseReportQuery(context, WEEKLY_FIELDS).collectFilled(...WEEKLY_FIELDS),
        ),
      ),
  },
]

async function showWeek(context: PageContext): Promise<void> {
  const barQuery = parseReportQuery(context)
  const weekQuery = withDefaultWeek(parseReportQuery(context, WEEKLY_FIELDS), barQuery.raw('to'))
  const address = formatPathWithQuery(WEEKLY_REPORT_PATH, weekQuery.collectFilled(...WEEKLY_FIELDS))
  const result = await fetchReport<WeeklyReportJson>(context, address, { known: [404] })
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
  const sorting = createReportSortContext(context, '/analytics/weekly', query)
  const view = formatter && buildWeeklyReportView(report, formatter, sorting, context)
  const values = FormValues.of({ ...weekQuery.collectFilled(...WEEKLY_FIELDS), ...query })
  await renderReportPage(
    context,
    'analytics/weekly',
    { name: 'weekly', query: weekQuery, filledQuery: barQuery, values, fields: WEEKLY_FIELDS },
    result,
    {
      title: pageTitle(t.reports.weekly, [
        view?.title,
        facets.departments.find(({ id }) => id === weekQuery.raw('department'))?.name,
        unquoteManagerName(weekQuery.raw('manager')),
      ]),
      heading: view?.title ?? t.reports.weekly,
      weeks: report ? buildWeekOptions(report, context) : [],
      legend: formatter && buildHeatLegend(formatter),
      scripts: ['tracks.js'],
      retry: formatPathWithQuery('/analytics/weekly', query),
      csv: formatPathWithQuery('/analytics/weekly.csv', query),
      sheets: formatPathWithQuery('/analytics/weekly/sheets', query),
      sheetOf: (name: string) =>
        formatPathWithQuery('/analytics/weekly/sheets', { week: report!.week, manager: quoteManagerName(name) }),
      none: t.weekly.noneYet,
      view,
      heat:
        report && formatter && !isEmptyWeek(report.kpis)
          ? await fetchHeatSection(context, report, scope, formatter, sorting)
          : undefined,
      coverage: formatter && buildCoverageLinks(report, formatter),
    },
  )
}

/** Fetches the heat map of the week; null if the API rejects the request or is unavailable. */
async function fetchHeatSection(
  { api }: PageContext,
  report: WeeklyReportJson,
  scope: Record<string, string>,
  formatter: FigureFormatter,
  sorting: ReportSortContext,
): Promise<HeatSection | undefined | null> {
  const address = formatPathWithQuery('/v1/analytics/quality', {
    from: report.period.from,
    to: report.period.to,
    ...scope,
  })
  try {
    const quality = await api.fetch<QualityReportJson>(address)
    const heat = buildHeatSection(quality, formatter, sorting)
    return heat && { ...heat, note: formatLaterChanges(report, quality, formatter) }
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiUnavailableError) return null
    throw error
  }
}

/** The heat map is computed from current data. Explains how it differs from a stored report; null if it does not differ. */
function formatLaterChanges(
  { state, coverage, managers }: WeeklyReportJson,
  quality: QualityReportJson,
  { t, count }: FigureFormatter,
): string | null {
  if (state !== 'provisional' && state !== 'final') return null
  const added = quality.totals.calls - coverage.calls
  if (added > 0) return t.heat.added(added, count(added))
  const stored = new Map(managers.map(({ managerId, score }) => [managerId, score]))
  const isUnchanged = ({ managerId, score }: QualityReportJson['managers'][number]) =>
    stored.get(managerId)?.value === score.value && stored.get(managerId)?.count === score.count
  return added === 0 && quality.managers.every(isUnchanged) ? null : t.heat.changed
}

/** Without a week in the address, selects the last week that was complete on the day `to`; without both, the API chooses. */
function withDefaultWeek(weekQuery: FormValues, to: string): FormValues {
  const after = getDayAfter(to)?.slice(0, 10)
  return weekQuery.raw('week') === '' && after ? weekQuery.with('week', computePastWeekNames(after, 1)[0]!) : weekQuery
}

/** Renders a printable summary for each manager with activity in the scope of the query, one per page. */
async function showSheets(context: PageContext): Promise<void> {
  const query = parseReportQuery(context, WEEKLY_FIELDS).collectFilled(...WEEKLY_FIELDS)
  const report = await context.api.fetch<WeeklyReportJson>(formatPathWithQuery(WEEKLY_REPORT_PATH, query))
  const { language } = context
  const week = formatWeeklyReportTitle(report, language)
  const formatter = createFigureFormatter(language, report.period, context.panel.config.SCORE_BANDS)
  await renderPage(context, 'analytics/sheets', {
    title: pageTitle(language.words.analytics.weekly.sheets, [unquoteManagerName(query.manager ?? ''), week]),
    week,
    isComputed: report.state === 'not-kept',
    columns: buildWeekColumnTitles(report, formatter),
    isRunning: report.state === 'running',
    sheets: buildManagerSummaries(report, formatter),
    back: formatPathWithQuery('/analytics/weekly', query),
  })
}

/** Offers the weeks of half a year. Stored older weeks are added to them. */
const OFFERED_WEEKS = 26

/** Builds the options of the week filter, newest first. */
function buildWeekOptions({ week, kept }: WeeklyReportJson, { language: { format } }: PageContext) {
  const today = format.dayOf(new Date().toISOString())
  const weeks = new Set([
    week,
    ...kept,
    formatIsoWeek(Temporal.PlainDate.from(today)),
    ...computePastWeekNames(today, OFFERED_WEEKS),
  ])
  return [...weeks]
    .toSorted()
    .toReversed()
    .map((value) => ({ value, text: format.days(...parseWeekBounds(value)) }))
}
