import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import { passThrough } from '../frame/pass-through.ts'
import { titleOf as pageTitle } from '../frame/page-title.ts'
import { addSpreadsheetParameters, FIELDS as OF_REPORTS, exactly, readAnswer, readAsked, unquoted } from './asked.ts'
import { barOf } from './bar.ts'
import { coverageOf } from './coverage.ts'
import { sheetsOf } from './sheets.ts'
import { titleOf, weeklyView } from './weekly.ts'
import { daysOf, lastWeeks } from './weeks.ts'

export const weeklyRoutes: Route[] = [
  { method: 'get', path: '/analytics/weekly', handle: showWeek },
  { method: 'get', path: '/analytics/weekly/sheets', handle: showSheets },
  {
    method: 'get',
    path: '/analytics/weekly.csv',
    handle: (context) => passThrough(context, addressOf(readAsked(context, FIELDS), 'csv')),
  },
]

const FIELDS = ['week', 'department', 'manager'] as const

async function showWeek(context: PageContext): Promise<void> {
  const kept = readAsked(context, OF_REPORTS)
  const asked = weekOf(readAsked(context, FIELDS), kept.raw('to'))
  const [answer, facets] = await Promise.all([
    readWeek(context, asked),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
  ])
  const { ctx, language } = context
  const t = language.words.analytics
  const report = answer instanceof ApiError ? undefined : answer
  const refusal = answer instanceof ApiError && answer.status === 400 ? answer : undefined
  if (refusal) ctx.status = 400
  const who = asked.filled('department', 'manager')
  const narrowed = report && { from: report.period.from, to: report.period.to, ...who }
  const view = report && weeklyView(report, language, narrowed!)
  const query = new URLSearchParams({ ...(report && { week: report.week }), ...who }).toString()
  await renderPage(context, 'analytics/weekly', {
    title: pageTitle(t.reports.weekly, [
      report && titleOf(report, language),
      facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
      unquoted(asked.raw('manager')),
    ]),
    heading: view?.title ?? t.reports.weekly,
    ...barOf('weekly', kept, facets, language),
    form: refusal
      ? formWithErrors(refusal, asked, [...FIELDS], language)
      : freshForm(Fields.of({ ...asked.filled(...FIELDS), ...(report && { week: report.week }) })),
    weeks: report ? weeksOf(report, context) : [],
    csv: `/analytics/weekly.csv?${query}`,
    sheets: `/analytics/weekly/sheets?${query}`,
    sheetOf: (name: string) =>
      `/analytics/weekly/sheets?${new URLSearchParams({ week: report!.week, manager: exactly(name) }).toString()}`,
    none: t.weekly.noneYet,
    view,
    coverage: report && coverageOf(report, language, narrowed!),
  })
}

/** Whoever comes from another report sees the last week of its period that is over. */
function weekOf(asked: Fields, to: string): Fields {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(to)
  return asked.raw('week') === '' && isDay ? asked.with('week', lastWeeks(addDays(to, 1), 1)[0]!) : asked
}

/** The sheets of all managers whom the caller may see and the address names, each on a paper of its own. */
async function showSheets(context: PageContext): Promise<void> {
  const asked = readAsked(context, FIELDS)
  const answer = await readWeek(context, asked)
  if (answer instanceof ApiError) throw answer
  const { language } = context
  const query = new URLSearchParams(asked.filled(...FIELDS)).toString()
  await renderPage(context, 'analytics/sheets', {
    title: pageTitle(language.words.analytics.weekly.sheets, [
      unquoted(asked.raw('manager')),
      titleOf(answer, language),
    ]),
    week: titleOf(answer, language),
    isComputed: answer.state === 'not-kept',
    sheets: sheetsOf(answer, language),
    back: `/analytics/weekly${query && `?${query}`}`,
  })
}

/** Half a year of weeks can be chosen, whether their reports were kept or not, and all that were kept. */
const WEEKS = 26

/** The weeks to choose from, the last one first. */
function weeksOf({ week, kept }: WeeklyJson, { language: { format } }: PageContext) {
  const weeks = new Set([week, ...kept, ...lastWeeks(format.dayOf(new Date().toISOString()), WEEKS)])
  return [...weeks]
    .toSorted()
    .toReversed()
    .map((value) => {
      const [from, to] = daysOf(value)
      return { value, text: format.days(from, to) }
    })
}

function addressOf(asked: Fields, format: 'json' | 'csv'): string {
  const query = new URLSearchParams(asked.filled(...FIELDS))
  if (format === 'csv') addSpreadsheetParameters(query)
  return `/v1/analytics/weekly-report${query.size > 0 ? `?${query.toString()}` : ''}`
}

/** @returns the API's refusal where the week is none, or has no report */
const readWeek = (context: PageContext, asked: Fields): Promise<WeeklyJson | ApiError> =>
  readAnswer<WeeklyJson>(context, addressOf(asked, 'json'), [400, 404])
