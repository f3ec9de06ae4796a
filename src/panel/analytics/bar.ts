import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { addDays } from '../frame/dates.ts'
import type { Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { FIELDS, managerOptions } from './asked.ts'

/** The reports in the order of their tabs, and where each lies. */
const REPORTS = {
  sales: '/analytics/sales',
  quality: '/analytics/quality',
  refusals: '/analytics/refusals',
  weekly: '/analytics/weekly',
  correlation: '/analytics/correlation',
  load: '/analytics/load',
  deals: '/analytics/deals',
  reconciliation: '/reconciliation',
}
export type Report = keyof typeof REPORTS

/** What a report has no field for stays in its address all the same, for the next tab. */
const UNASKED: Partial<Record<Report, readonly string[]>> = {
  quality: ['funnel'],
  weekly: ['from', 'to', 'funnel'],
  load: ['funnel'],
  reconciliation: ['manager', 'funnel'],
}

/** Periods that are one click away, in days up to today. */
const PERIODS = [7, 30, 90, 365]

/**
 * The bar above the tabs of the reports, and the tabs: all of them are of one period, department and manager.
 * @param shown what the report is of, its days included
 * @param own what this report alone asks for beside that
 */
export function barOf(
  report: Report,
  shown: Fields,
  facets: FacetsJson,
  language: Language,
  own: Record<string, string> = {},
) {
  const kept = shown.filled(...FIELDS)
  return {
    report,
    action: REPORTS[report],
    unasked: Object.entries(shown.filled(...(UNASKED[report] ?? []))),
    departments: facets.departments,
    managers: report === 'reconciliation' ? [] : managerOptions(facets, shown.raw('manager')),
    periods: report === 'weekly' ? [] : periodsOf(REPORTS[report], { ...kept, ...own }, language),
    tabs: Object.entries(REPORTS).map(([name, path]) => ({
      text: language.words.analytics.reports[name as Report],
      href: addressOf(path, kept),
      current: name === report,
    })),
  }
}

function periodsOf(path: string, kept: Record<string, string>, { words, format }: Language) {
  const to = format.dayOf(new Date().toISOString())
  return PERIODS.map((days) => {
    const from = addDays(to, 1 - days)
    return {
      href: addressOf(path, { ...kept, from, to }),
      text: words.statistics.period(days, format.number(days)),
      current: kept.from === from && kept.to === to,
    }
  })
}

function addressOf(path: string, fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString()
  return query ? `${path}?${query}` : path
}
