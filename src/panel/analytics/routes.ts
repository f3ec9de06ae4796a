import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { CorrelationJson } from '../../reports/correlation/schema.ts'
import type { Frame } from '../../reports/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import { passThrough } from '../frame/pass-through.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { addSpreadsheetParameters, FIELDS, readAnswer, readAsked, readFunnels, unquoted } from './asked.ts'
import { barOf } from './bar.ts'
import { correlationView } from './correlation.ts'
import { coverageOf } from './coverage.ts'
import { dealRoutes } from './deals.ts'
import { rememberVersion } from './last-version.ts'
import { qualityView } from './quality.ts'
import { refusalsView } from './refusals.ts'
import { salesView } from './sales.ts'
import type { Narrowed, View } from './view.ts'
import { weeklyRoutes } from './weekly-routes.ts'

/** The reports, each with what it shows of its answer. */
const VIEWS = { quality: qualityView, sales: salesView, refusals: refusalsView, correlation: correlationView }
type Name = keyof typeof VIEWS
const NAMES = Object.keys(VIEWS) as Name[]
/** Deals stand in funnels, calls do not. */
const OF_DEALS: readonly Name[] = ['sales', 'refusals', 'correlation']
/** Parameters that only one report has. */
const OWN: Partial<Record<Name, string[]>> = { correlation: ['scoredBy'] }
const ownOf = (name: Name): string[] => OWN[name] ?? []
const fieldsOf = (name: Name): string[] => [
  ...FIELDS.filter((field) => field !== 'funnel' || OF_DEALS.includes(name)),
  ...ownOf(name),
]

const reportRoutes: Route[] = NAMES.flatMap((name): Route[] => [
  { method: 'get', path: `/analytics/${name}`, handle: (context) => showReport(context, name) },
  {
    method: 'get',
    path: `/analytics/${name}.csv`,
    handle: (context) => passThrough(context, addressOf(context, name, 'csv')),
  },
])

export const analyticsRoutes: Route[] = [...weeklyRoutes, ...dealRoutes, ...reportRoutes]

async function showReport(context: PageContext, name: Name): Promise<void> {
  const asked = readAsked(context, [...FIELDS, ...ownOf(name)])
  const [answer, facets, funnels] = await Promise.all([
    readAnswer<Frame>(context, addressOf(context, name, 'json')),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    OF_DEALS.includes(name) ? readFunnels(context) : [],
  ])
  const { ctx, language } = context
  const t = language.words.analytics
  const refusal = answer instanceof ApiError ? answer : undefined
  const report = answer instanceof ApiError ? undefined : answer
  if (refusal) ctx.status = 400
  const { from, to } = report ? report.period : { from: asked.raw('from'), to: asked.raw('to') }
  const own = asked.filled(...ownOf(name))
  const values = Fields.of({ ...asked.filled(...FIELDS), ...own, from, to })
  const narrowed: Narrowed = { from, to, ...asked.filled('department', 'manager', 'funnel') }
  const view =
    report &&
    (VIEWS[name] as (report: Frame, language: PageContext['language'], narrowed: Narrowed) => View)(
      report,
      language,
      narrowed,
    )
  const changed = name === 'correlation' && report && rememberVersion(context, report as CorrelationJson)
  if (changed) view?.notes.unshift(changed)
  const query = new URLSearchParams(asked.filled(...fieldsOf(name))).toString()
  await renderPage(context, 'analytics/report', {
    title: titleOf(t.reports[name], [
      facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
      unquoted(asked.raw('manager')),
      daysInTitle(asked.raw('from'), asked.raw('to'), language),
    ]),
    heading: t.reports[name],
    csv: `/analytics/${name}.csv${query && `?${query}`}`,
    ...barOf(name, values, facets, language, own),
    form: refusal ? formWithErrors(refusal, asked, [...FIELDS], language) : freshForm(values),
    funnels,
    view,
    coverage: report && coverageOf(report, language, narrowed),
  })
}

function addressOf(context: PageContext, name: Name, format: 'json' | 'csv'): string {
  const query = new URLSearchParams(readAsked(context, fieldsOf(name)).filled(...fieldsOf(name)))
  if (format === 'csv') addSpreadsheetParameters(query)
  return `/v1/analytics/${name}${query.size > 0 ? `?${query.toString()}` : ''}`
}
