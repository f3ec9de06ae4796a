import type { RecordingCatalogJson } from '../../calls/list/overview-schema.ts'
import { addDays } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { formatCallListHrefWithFilterChanges, type CallFilterValues, type CallListState } from './filters.ts'

const SHOWN_MONTHS = 24
/** Height of the highest bar in units of the SVG. */
const MAX_BAR_HEIGHT = 40

/** Builds a link to the calls of a range of days. If the range is already selected, the link removes the date filters. */
function buildDaysLink(state: CallListState, from: string, to: string) {
  const current = state.filters.dateFrom === from && state.filters.dateTo === to
  const href = formatCallListHrefWithFilterChanges(
    state,
    current ? { dateFrom: null, dateTo: null } : { dateFrom: from, dateTo: to },
  )
  return { href, current }
}

const buildMonthLink = (state: CallListState, month: string) => buildDaysLink(state, `${month}-01`, lastDayOf(month))

/** Builds links to the calls of today, yesterday, this week and this month. `isOwn` is true for other dates. */
export function buildDayFilterLinks(state: CallListState, { words, format }: Language) {
  const t = words.recordings.days
  const today = format.dayOf(new Date().toISOString())
  const yesterday = addDays(today, -1)
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7))
  const links = [
    { text: t.today, ...buildDaysLink(state, today, today) },
    { text: t.yesterday, ...buildDaysLink(state, yesterday, yesterday) },
    { text: t.week, ...buildDaysLink(state, monday, addDays(monday, 6)) },
    { text: t.month, ...buildMonthLink(state, today.slice(0, 7)) },
  ]
  const { dateFrom, dateTo } = state.filters
  return { links, isOwn: Boolean(dateFrom ?? dateTo) && !links.some(({ current }) => current) }
}

/** Builds the strip of months and the list of years with their numbers of calls. */
export function buildMonthStrip(catalog: RecordingCatalogJson, state: CallListState, { words, format }: Language) {
  const months = catalog.years.flatMap((year) => year.months)
  const totals = new Map(months.map(({ month, total }) => [month, total]))
  const period = findWholePeriod(state.filters)
  const periodText = period && (period.length === 4 ? period : format.month(period))
  const stripMonths = selectStripMonths(
    [...totals.keys()].sort(),
    period,
    format.dayOf(new Date().toISOString()).slice(0, 7),
  )
  const maxTotal = Math.max(1, ...stripMonths.map((month) => totals.get(month) ?? 0))
  return {
    title: periodText ?? words.recordings.facets.months,
    period: periodText,
    bars: stripMonths.map((month) => {
      const total = totals.get(month) ?? 0
      const link = buildMonthLink(state, month)
      return {
        label: `${format.month(month)}: ${format.number(total)}`,
        href: link.href,
        current: link.current || month.slice(0, 4) === period,
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
    durationSeconds: sumAudioSeconds(months, period, state.filters),
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
