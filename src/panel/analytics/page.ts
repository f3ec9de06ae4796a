import type { ReportFrame } from '../../reports/schema.ts'
import type { PageContext, PanelRoute } from '../frame/context.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { fetchReport, renderReportPage } from './report-page.ts'
import { dealListRoutes } from './deals.ts'
import { formatReportCsvAddress, REPORT_FILTER_FIELDS, parseReportQuery } from './query.ts'
import type { ReportPage } from './report.ts'
import { REPORTS } from './tabs.ts'
import { weeklyReportRoutes } from './weekly-routes.ts'
import { buildCoverageLinks, createFigureFormatter } from './figure-formatter.ts'
import type { Page } from '../frame/page.ts'
import { buildHeatLegend, buildHeatSection } from './heat.ts'
import { createReportSortContext, sortReportTable, type ReportSortContext } from './report-sorting.ts'
import type { ReportView } from './view.ts'
import { analyticsWords } from './words.ts'

export const analyticsPage: Page<'analytics', typeof analyticsWords> = {
  name: 'analytics',
  words: analyticsWords,
  routes: [
    ...weeklyReportRoutes,
    ...dealListRoutes,
    ...REPORTS.flatMap((report): PanelRoute[] => [
      { method: 'get', path: report.path, handle: (context) => showReport(context, report) },
      {
        method: 'get',
        path: `${report.path}.csv`,
        handle: (context) => streamFromApi(context, formatReportCsvAddress(report.api, buildApiQuery(context, report))),
      },
    ]),
  ],
  menu: {
    href: '/analytics/weekly',
    within: ['/analytics/', '/reconciliation'],
    title: analyticsWords.title,
    group: 'work',
    for: ({ rights }) => rights.analytics === true,
  },
  styles: ['analytics', 'week', 'heat'],
}

function buildApiQuery(context: PageContext, { hasFunnel, own }: ReportPage): Record<string, string> {
  const names = [...REPORT_FILTER_FIELDS.filter((name) => name !== 'funnel' || hasFunnel), ...own]
  return parseReportQuery(context, names).collectFilled(...names)
}

async function showReport(context: PageContext, report: ReportPage): Promise<void> {
  const { name, path, api, hasFunnel, own } = report
  const fields = [...REPORT_FILTER_FIELDS, ...own]
  const [pageQuery, query] = [parseReportQuery(context, fields), buildApiQuery(context, report)]
  const loaded = await fetchReport<ReportFrame>(context, formatPathWithQuery(api, query), { hasFunnel })
  const reportData = loaded.report
  const { from, to } = reportData?.period ?? { from: pageQuery.raw('from'), to: pageQuery.raw('to') }
  const filledQuery = FormValues.of({ ...pageQuery.collectFilled(...fields), from, to })
  const formatter = createFigureFormatter(
    context.language,
    { from, to, ...pageQuery.collectFilled('department', 'manager', 'funnel') },
    context.panel.config.SCORE_BANDS,
  )
  const sortContext = createReportSortContext(context, path, query)
  const view = reportData && sortView(report.show(reportData, formatter, context), sortContext)
  await renderReportPage(
    context,
    'analytics/report',
    { name, query: pageQuery, filledQuery, own: pageQuery.collectFilled(...own), fields: REPORT_FILTER_FIELDS },
    loaded,
    {
      csv: formatPathWithQuery(`${path}.csv`, query),
      view,
      heat: view?.heat && buildHeatSection(view.heat, formatter, sortContext),
      legend: buildHeatLegend(formatter),
      coverage: reportData && buildCoverageLinks(reportData, formatter),
    },
  )
}

/** Sorts each table of a report by the `sort` and `order` of the address. */
const sortView = (view: ReportView, sorting: ReportSortContext): ReportView => ({
  ...view,
  tables: view.tables.map((table) => sortReportTable(table, sorting)),
})
