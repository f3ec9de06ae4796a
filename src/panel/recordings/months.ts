import type { RecordingCatalogJson } from '../../calls/list/overview-schema.ts'
import type { RelativePeriod } from '../../platform/lib/relative-period.ts'
import type { Language } from '../frame/i18n.ts'
import {
  CALL_FILTERS,
  formatCallListHrefWithFilterChanges,
  type CallFilterChanges,
  type CallFilterValues,
  type CallListState,
} from './filters.ts'
import { replacePeriodByDates } from './relative-period.ts'

/** The periods in the menu of dates. */
const MORE_PERIODS: RelativePeriod[] = ['lastWeek', 'lastMonth', 'last7Days', 'last30Days']

const SHOWN_MONTHS = 24
/** Height of the highest bar in units of the SVG. */
const MAX_BAR_HEIGHT = 40

const NO_DATE_FILTERS: CallFilterChanges = { period: null, dateFrom: null, dateTo: null }

/** Builds a link to the calls of a range of days. If the range is already selected, the link removes the date filters. */
function buildDaysLink(state: CallListState, from: string, to: string) {
  const { period, dateFrom, dateTo } = state.filters
  const current = !period && dateFrom === from && dateTo === to
  const changes = current ? NO_DATE_FILTERS : { ...NO_DATE_FILTERS, dateFrom: from, dateTo: to }
  return { href: formatCallListHrefWithFilterChanges(state, changes), current }
}

const buildAllDaysLink = (state: CallListState) => ({
  href: formatCallListHrefWithFilterChanges(state, NO_DATE_FILTERS),
})

const buildMonthLink = (state: CallListState, month: string) => buildDaysLink(state, `${month}-01`, lastDayOf(month))

/**
 * Builds links to the calls of periods: the usual ones and, for the menu, `more`. The link of the selected period removes the date
 * filters. `isMenuCurrent` is true for other dates and for a period of the menu.
 */
export function buildDayFilterLinks(state: CallListState, { words, code }: Language) {
  const t = words.recordings.days
  const { period, dateFrom, dateTo } = state.filters
  const buildLink = (name: RelativePeriod, text: string) => {
    const current = period === name && !dateFrom && !dateTo
    const changes = current ? NO_DATE_FILTERS : { ...NO_DATE_FILTERS, period: name }
    return { text, href: formatCallListHrefWithFilterChanges(state, changes), current }
  }
  const links = [
    buildLink('today', t.today),
    buildLink('yesterday', t.yesterday),
    buildLink('thisWeek', t.week),
    buildLink('thisMonth', t.month),
  ]
  const more = MORE_PERIODS.map((name) => buildLink(name, CALL_FILTERS.period.values![code][name]!))
  const isMenuCurrent = Boolean(period ?? dateFrom ?? dateTo) && !links.some(({ current }) => current)
  return { links, more, isMenuCurrent }
}

/** Builds the strip of months and the list of years with their numbers of calls. */
export function buildMonthStrip(catalog: RecordingCatalogJson, state: CallListState, { words, format }: Language) {
  const months = catalog.years.flatMap((year) => year.months)
  const totals = new Map(months.map(({ month, total }) => [month, total]))
  const today = format.dayOf(new Date().toISOString())
  const dates = replacePeriodByDates(state.filters, today)
  const period = findWholePeriod(dates)
  const periodText = period && (period.length === 4 ? period : format.month(period))
  const stripMonths = selectStripMonths([...totals.keys()].sort(), period, today.slice(0, 7))
  const maxTotal = Math.max(1, ...stripMonths.map((month) => totals.get(month) ?? 0))
  return {
    title: periodText ?? words.recordings.facets.months,
    period: periodText,
    bars: stripMonths.map((month) => {
      const total = totals.get(month) ?? 0
      const link = month === period ? buildAllDaysLink(state) : buildMonthLink(state, month)
      return {
        label: `${format.month(month)}: ${format.number(total)}`,
        href: link.href,
        current: month === period || month.slice(0, 4) === period,
        height: total === 0 ? 0 : Math.max(2, Math.round((total / maxTotal) * MAX_BAR_HEIGHT)),
      }
    }),
    first: stripMonths.length > 0 ? format.shortMonth(stripMonths[0]!) : '',
    last: stripMonths.length > 1 ? format.shortMonth(stripMonths.at(-1)!) : '',
    years: catalog.years.map(({ year, total }) => ({
      text: String(year),
      count: format.number(total),
      ...buildDaysLink(state, `${year}-01-01`, `${year}-12-31`),
    })),
    durationSeconds: sumAudioSeconds(months, period, dates),
  }
}

/** Returns the year (2026) or month (2026-03) that the date filters select exactly; otherwise null. */
function findWholePeriod({ dateFrom = '', dateTo = '' }: CallFilterValues): string | null {
  const year = dateFrom.slice(0, 4)
  if (dateFrom === `${year}-01-01` && dateTo === `${year}-12-31`) return year
  const month = dateFrom.slice(0, 7)
  return /^\d{4}-\d\d$/.test(month) && dateFrom.endsWith('-01') && dateTo === lastDayOf(month) ? month : null
}

const lastDayOf = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)

/**
 * Selects up to SHOWN_MONTHS consecutive months. Omits future months unless all calls are in the future, because their dates are
 * probably wrong.
 */
function selectStripMonths(all: string[], period: string | null, currentMonth: string): string[] {
  const past = all.filter((month) => month <= currentMonth)
  const known = past.length > 0 ? past : all
  if (known.length === 0) return []
  const index = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1
  const [first, last] = [index(known[0]!), index(known.at(-1)!)]
  const chosen = period === null ? last : index(`${period.slice(0, 4)}-12`)
  // The strip only moves if it would not show the whole selected year.
  const end = chosen < last - SHOWN_MONTHS + 12 ? chosen : last
  const start = Math.max(first, end - SHOWN_MONTHS + 1)
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, n) => {
    const month = start + n
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  })
}

/** Sums the audio of the selected month or year, or of all months without dates. Returns null for other dates. */
function sumAudioSeconds(
  months: RecordingCatalogJson['years'][number]['months'],
  period: string | null,
  { dateFrom, dateTo }: CallFilterValues,
): number | null {
  if (period === null && (dateFrom || dateTo)) return null
  const chosen = months.filter(({ month }) => period === null || month.startsWith(period))
  return chosen.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
}
