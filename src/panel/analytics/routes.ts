import type { FacetsJson } from '../../recordings/list/overview-schema.ts'
import type { Frame } from '../../analytics/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { loadFrame, renderPage, type PageContext, type Route } from '../frame/context.ts'
import { readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import { faultyForm, freshForm } from '../frame/form.ts'
import { passThrough } from '../frame/pass-through.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { correlationView } from './correlation.ts'
import { coverageOf } from './coverage.ts'
import { qualityView } from './quality.ts'
import { refusalsView } from './refusals.ts'
import { salesView } from './sales.ts'
import { tabsOf } from './tabs.ts'
import type { Narrowed, View } from './view.ts'
import { weeklyRoutes } from './weekly-routes.ts'

/** The reports, each with what it shows of its answer. */
const VIEWS = { quality: qualityView, sales: salesView, refusals: refusalsView, correlation: correlationView }
type Name = keyof typeof VIEWS
const NAMES = Object.keys(VIEWS) as Name[]
const FIELDS = ['from', 'to', 'department', 'manager'] as const

const reportRoutes: Route[] = NAMES.flatMap((name): Route[] => [
  { method: 'get', path: `/analytics/${name}`, handle: (context) => showReport(context, name) },
  {
    method: 'get',
    path: `/analytics/${name}.csv`,
    handle: (context) => passThrough(context, addressOf(context, name, 'csv')),
  },
])

export const analyticsRoutes: Route[] = [...weeklyRoutes, ...reportRoutes]

async function showReport(context: PageContext, name: Name): Promise<void> {
  const asked = readAsked(context)
  const [answer, facets] = await Promise.all([
    readReport(context, name),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    loadFrame(context),
  ])
  const { ctx, language } = context
  const t = language.words.analytics
  const fault = answer instanceof ApiError ? answer : undefined
  const report = answer instanceof ApiError ? undefined : answer
  if (fault) ctx.status = 400
  const { from, to } = report ? report.period : { from: asked.raw('from'), to: asked.raw('to') }
  const values = Fields.of({ ...asked.filled(...FIELDS), from, to })
  const narrowed: Narrowed = { from, to, ...asked.filled('department', 'manager') }
  const view =
    report &&
    (VIEWS[name] as (report: Frame, language: PageContext['language'], narrowed: Narrowed) => View)(
      report,
      language,
      narrowed,
    )
  const query = new URLSearchParams(asked.filled(...FIELDS)).toString()
  renderPage(context, 'analytics/report', {
    title: titleOf(t.reports[name], [
      facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
      asked.raw('manager'),
      daysInTitle(asked.raw('from'), asked.raw('to'), language),
    ]),
    heading: t.reports[name],
    action: `/analytics/${name}`,
    csv: `/analytics/${name}.csv${query && `?${query}`}`,
    tabs: tabsOf(name, asked.filled(...FIELDS), language),
    form: fault ? faultyForm(fault, asked, [...FIELDS], language) : freshForm(values),
    departments: facets.departments,
    managers: facets.managers,
    view,
    coverage: report && coverageOf(report, language),
  })
}

function readAsked({ ctx }: PageContext): Fields {
  const one = (name: string) => [ctx.query[name] ?? ''].flat()[0]!.trim()
  return Fields.of({
    from: readDay(one('from')),
    to: readDay(one('to')),
    department: one('department'),
    manager: one('manager'),
  })
}

function addressOf(context: PageContext, name: Name, format: 'json' | 'csv'): string {
  const query = new URLSearchParams(readAsked(context).filled(...FIELDS))
  if (format === 'csv') query.set('format', 'csv')
  return `/v1/analytics/${name}${query.size > 0 ? `?${query.toString()}` : ''}`
}

/** @returns the API's refusal where the period is none */
async function readReport(context: PageContext, name: Name): Promise<Frame | ApiError> {
  try {
    return await context.api.read<Frame>(addressOf(context, name, 'json'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
}
