import type { Frame } from '../../reports/schema.ts'
import type { PageContext, Route } from '../frame/context.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import { passThrough } from '../frame/pass-through.ts'
import { loadReport, renderReport } from './bar.ts'
import { dealRoutes } from './deals.ts'
import { csvAddress, FIELDS, parseQuery } from './query.ts'
import type { Report } from './report.ts'
import { REPORTS } from './tabs.ts'
import { weeklyRoutes } from './weekly-routes.ts'
import { coverageOf, createWriter } from './writer.ts'
import type { Page } from '../frame/page.ts'
import { analytics } from './words.ts'

export const analyticsPage: Page<'analytics', typeof analytics> = {
  name: 'analytics',
  words: analytics,
  routes: [
    ...weeklyRoutes,
    ...dealRoutes,
    ...REPORTS.flatMap((report): Route[] => [
      { method: 'get', path: report.path, handle: (context) => showReport(context, report) },
      {
        method: 'get',
        path: `${report.path}.csv`,
        handle: (context) => passThrough(context, csvAddress(report.api, apiQuery(context, report))),
      },
    ]),
  ],
  menu: {
    href: '/analytics/weekly',
    within: ['/analytics/', '/reconciliation'],
    title: analytics.title,
    group: 'work',
    for: ({ rights }) => rights.analytics === true,
  },
  styles: ['analytics', 'week'],
}

function apiQuery(context: PageContext, { hasFunnel, own }: Report): Record<string, string> {
  const names = [...FIELDS.filter((name) => name !== 'funnel' || hasFunnel), ...own]
  return parseQuery(context, names).filled(...names)
}

async function showReport(context: PageContext, report: Report): Promise<void> {
  const { name, path, api, hasFunnel, own } = report
  const fields = [...FIELDS, ...own]
  const [asked, query] = [parseQuery(context, fields), apiQuery(context, report)]
  const loaded = await loadReport<Frame>(context, addressOf(api, query), { hasFunnel })
  const found = loaded.report
  const { from, to } = found?.period ?? { from: asked.raw('from'), to: asked.raw('to') }
  const shown = Fields.of({ ...asked.filled(...fields), from, to })
  const write = createWriter(context.language, { from, to, ...asked.filled('department', 'manager', 'funnel') })
  await renderReport(
    context,
    'analytics/report',
    { name, asked, shown, own: asked.filled(...own), fields: FIELDS },
    loaded,
    {
      csv: addressOf(`${path}.csv`, query),
      view: found && report.show(found, write, context),
      coverage: found && coverageOf(found, write),
    },
  )
}
