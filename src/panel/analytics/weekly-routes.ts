import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { dayAfter } from '../frame/dates.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import { passThrough } from '../frame/pass-through.ts'
import { titleOf as pageTitle } from '../frame/page-title.ts'
import { loadReport, renderReport } from './bar.ts'
import { csvAddress, parseQuery, quoteName, unquoteName } from './query.ts'
import { sheetsOf, titleOf, weeklyView } from './weekly.ts'
import { daysOf, lastWeeks } from './weeks.ts'
import { coverageOf, createWriter } from './writer.ts'

const FIELDS = ['week', 'department', 'manager'] as const
const API = '/v1/analytics/weekly-report'

export const weeklyRoutes: Route[] = [
  { method: 'get', path: '/analytics/weekly', handle: showWeek },
  { method: 'get', path: '/analytics/weekly/sheets', handle: showSheets },
  {
    method: 'get',
    path: '/analytics/weekly.csv',
    handle: (context) => passThrough(context, csvAddress(API, parseQuery(context, FIELDS).filled(...FIELDS))),
  },
]

async function showWeek(context: PageContext): Promise<void> {
  const shown = parseQuery(context)
  const asked = withWeek(parseQuery(context, FIELDS), shown.raw('to'))
  const address = addressOf(API, asked.filled(...FIELDS))
  const loaded = await loadReport<WeeklyJson>(context, address, { known: [404] })
  const { report, facets } = loaded
  const { language } = context
  const t = language.words.analytics
  const who = asked.filled('department', 'manager')
  const write = report && createWriter(language, { from: report.period.from, to: report.period.to, ...who })
  const view = write && weeklyView(report, write)
  const query = { ...(report && { week: report.week }), ...who }
  const values = Fields.of({ ...asked.filled(...FIELDS), ...query })
  await renderReport(context, 'analytics/weekly', { name: 'weekly', asked, shown, values, fields: FIELDS }, loaded, {
    title: pageTitle(t.reports.weekly, [
      view?.title,
      facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
      unquoteName(asked.raw('manager')),
    ]),
    heading: view?.title ?? t.reports.weekly,
    weeks: report ? weeksOf(report, context) : [],
    csv: addressOf('/analytics/weekly.csv', query),
    sheets: addressOf('/analytics/weekly/sheets', query),
    sheetOf: (name: string) => addressOf('/analytics/weekly/sheets', { week: report!.week, manager: quoteName(name) }),
    none: t.weekly.noneYet,
    view,
    coverage: write && coverageOf(report, write),
  })
}

/** The last complete week of the previous report's period, if the address names no week. */
function withWeek(asked: Fields, to: string): Fields {
  const after = dayAfter(to)?.slice(0, 10)
  return asked.raw('week') === '' && after ? asked.with('week', lastWeeks(after, 1)[0]!) : asked
}

/** The sheets of all managers whom the person sees and the address names, each on a page of its own. */
async function showSheets(context: PageContext): Promise<void> {
  const query = parseQuery(context, FIELDS).filled(...FIELDS)
  const report = await context.api.read<WeeklyJson>(addressOf(API, query))
  const { language } = context
  const week = titleOf(report, language)
  await renderPage(context, 'analytics/sheets', {
    title: pageTitle(language.words.analytics.weekly.sheets, [unquoteName(query.manager ?? ''), week]),
    week,
    isComputed: report.state === 'not-kept',
    sheets: sheetsOf(report, createWriter(language, report.period)),
    back: addressOf('/analytics/weekly', query),
  })
}

/** Weeks of half a year can be chosen, and all stored ones. */
const WEEKS = 26

/** The weeks to choose from, newest first. */
function weeksOf({ week, kept }: WeeklyJson, { language: { format } }: PageContext) {
  const weeks = new Set([week, ...kept, ...lastWeeks(format.dayOf(new Date().toISOString()), WEEKS)])
  return [...weeks]
    .toSorted()
    .toReversed()
    .map((value) => ({ value, text: format.days(...daysOf(value)) }))
}
