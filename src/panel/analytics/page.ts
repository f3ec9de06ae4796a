import type { ReportFrame } from '../../reports/schema.ts'
import type { PageContext, Route } from '../frame/context.ts'
import { formatAddress, Fields } from '../frame/fields.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { fetchReport, renderReport } from './report-page.ts'
import { dealListRoutes } from './deals.ts'
import { formatCsvAddress, REPORT_FIELDS, parseQuery } from './query.ts'
import type { Report } from './report.ts'
import { REPORTS } from './tabs.ts'
import { weeklyRoutes } from './weekly-routes.ts'
import { buildCoverage, createFigureFormatter } from './figure-formatter.ts'
import type { Page } from '../frame/page.ts'
import { buildHeatLegend } from './heat.ts'
import { createSortContext, sortTable, type SortContext } from './report-sorting.ts'
import type { ReportView } from './view.ts'
import { analyticsWords } from './words.ts'

export const analyticsPage: Page<'analytics', typeof analyticsWords> = {
  name: 'analytics',
  words: analyticsWords,
  routes: [
    ...weeklyRoutes,
    ...dealListRoutes,
    ...REPORTS.flatMap((report): Route[] => [
      { method: 'get', path: report.path, handle: (context) => showReport(context, report) },
      {
        method: 'get',
        path: `${report.path}.csv`,
        handle: (context) => streamFromApi(context, formatCsvAddress(report.api, buildApiQuery(context, report))),
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

function buildApiQuery(context: PageContext, { hasFunnel, own }: Report): Record<string, string> {
  const names = [...REPORT_FIELDS.filter((name) => name !== 'funnel' || hasFunnel), ...own]
  return parseQuery(context, names).collectFilled(...names)
}

async function showReport(context: PageContext, report: Report): Promise<void> {
  const { name, path, api, hasFunnel, own } = report
  const fields = [...REPORT_FIELDS, ...own]
  const [pageQuery, query] = [parseQuery(context, fields), buildApiQuery(context, report)]
  const loaded = await fetchReport<ReportFrame>(context, formatAddress(api, query), { hasFunnel })
  const reportData = loaded.report
  const { from, to } = reportData?.period ?? { from: pageQuery.raw('from'), to: pageQuery.raw('to') }
  const filledQuery = Fields.of({ ...pageQuery.collectFilled(...fields), from, to })
  const formatter = createFigureFormatter(
    context.language,
    { from, to, ...pageQuery.collectFilled('department', 'manager', 'funnel') },
    context.panel.config.SCORE_BANDS,
  )
  const sortContext = createSortContext(context, path, query)
  await renderReport(
    context,
    'analytics/report',
    { name, query: pageQuery, filledQuery, own: pageQuery.collectFilled(...own), fields: REPORT_FIELDS },
    loaded,
    {
      csv: formatAddress(`${path}.csv`, query),
      view: reportData && sortView(report.show(reportData, formatter, context), sortContext),
      legend: buildHeatLegend(formatter),
      coverage: reportData && buildCoverage(reportData, formatter),
    },
  )
}

/** Sorts each table and heat map of a report by the `sort` and `order` of the address. */
const sortView = (view: ReportView, sorting: SortContext): ReportView => ({
  ...view,
  tables: view.tables.map((table) => sortTable(table, sorting)),
  ...(view.heat && { heat: view.heat.map((map) => sortTable(map, sorting)) }),
})
