import type { CatalogJson, FacetsJson } from '../../calls/list/overview-schema.ts'
import type { Language } from '../frame/i18n.ts'
import {
  addressOf,
  ORDERED_STATUSES,
  wholeName,
  withFilters,
  type FilterName,
  type Filters,
  type ListState,
} from './filters.ts'
import { DIRECTIONS, SOURCES } from '../../calls/recordings/values.ts'

/** The facets whose counts the API tells; each is counted without its own filter, so that one sees the others. */
export const FACETS = ['status', 'direction', 'source', 'manager', 'department'] as const
export type FacetName = (typeof FACETS)[number]

/** The bands of scores, as the page of a call colours them; from one inclusive, below the other. */
export const SCORES = {
  poor: { scoreFrom: null, scoreBelow: '50' },
  fair: { scoreFrom: '50', scoreBelow: '70' },
  good: { scoreFrom: '70', scoreBelow: null },
} as const
export type Band = keyof typeof SCORES
export const BANDS = Object.keys(SCORES) as Band[]

/** The band that a list is narrowed to; none where its scores are narrowed otherwise. */
export const bandOf = ({ scoreFrom, scoreBelow }: Filters): Band | undefined =>
  BANDS.find(
    (band) => SCORES[band].scoreFrom === (scoreFrom ?? null) && SCORES[band].scoreBelow === (scoreBelow ?? null),
  )

/** How many calls have what only some lists have. */
export interface Rare {
  /** In each band of scores, whatever scores the list is narrowed to. */
  scores: Map<Band, number>
  /** In how many nobody is heard. */
  noSpeech: number
}

/** A value that the list can be narrowed to, and how many calls have it. */
interface Choice {
  text: string
  count: string
  href: string
  current: boolean
}

/** So many managers are shown at once, and so many when asked for more; the filter by name finds the others. */
const MANAGERS = 8
const MORE_MANAGERS = 100

/** The facets as groups of links, each with its count. */
export function facetsOf(
  state: ListState,
  counts: Record<FacetName, FacetsJson>,
  { scores, noSpeech }: Rare,
  language: Language,
) {
  const { facets } = language.words.recordings
  const choice = (name: FilterName, value: string | null, text: string, count: number): Choice => {
    const current = (state.filters[name] ?? null) === value
    const href = addressOf(withFilters(state, { [name]: current ? null : value }))
    return { text, count: language.format.number(count), href, current }
  }
  const group = (name: FilterName, title: string, choices: Choice[], more: Choice[] = []) => ({
    id: `facet-${name}`,
    title,
    choices,
    more,
    moreText: facets.more(language.format.number(more.length)),
  })
  const of = <K extends string>(name: FacetName, texts: Record<K, string>, values: readonly string[], found: object) =>
    values
      .map((value) => [value, (found as Record<string, number>)[value] ?? 0] as const)
      .filter(([value, n]) => n > 0 || state.filters[name] === value || ALWAYS.includes(value))
      .map(([value, n]) => choice(name, value, texts[value as K], n))

  const all = choice('status', null, facets.all, counts.status.total)
  const sources = of('source', facets.sources, SOURCES, counts.source.source)
  const directions = of('direction', facets.directions, DIRECTIONS, counts.direction.direction)
  const managers = managersOf(state, counts.manager, language)
  const departments = counts.department.departments.map(({ id, name, count }) => choice('department', id, name, count))
  const speech = [choice('noSpeech', 'true', facets.speech.true, noSpeech)]
  return {
    status: group('status', facets.status, [
      all,
      ...of('status', facets.statuses, ORDERED_STATUSES, counts.status.status),
    ]),
    others: [
      group('direction', facets.direction, directions),
      group('source', facets.source, sources.length > 1 || state.filters.source ? sources : []),
      group('manager', facets.manager, managers.slice(0, MANAGERS), managers.slice(MANAGERS, MORE_MANAGERS)),
      group('department', facets.department, departments),
      group('scoreBelow', facets.score, bandsOf(state, scores, language)),
      group('noSpeech', facets.noSpeech, noSpeech > 0 || state.filters.noSpeech ? speech : []),
    ].filter(({ choices }) => choices.length > 0),
  }
}

/** Several managers may be chosen: each click adds one, or takes one away. */
function managersOf(state: ListState, { managers }: FacetsJson, language: Language): Choice[] {
  const chosen = state.filters.manager?.split('|').map(wholeName) ?? []
  const choices = managers.map(({ name, count }): Choice => {
    const current = chosen.includes(name)
    const others = chosen.filter((one) => one !== name)
    const value = (current ? others : [...others, name]).join('|')
    const href = addressOf(withFilters(state, { manager: value || null }))
    return { text: name, count: language.format.number(count), href, current }
  })
  // Who is chosen is seen, however few calls they have.
  const late = choices.splice(MANAGERS)
  return [...late.filter(({ current }) => current), ...choices, ...late.filter(({ current }) => !current)]
}

function bandsOf(state: ListState, scores: Rare['scores'], language: Language): Choice[] {
  const { facets } = language.words.recordings
  const chosen = bandOf(state.filters)
  return BANDS.filter((band) => scores.get(band) || band === chosen).map((band) => {
    const current = band === chosen
    const href = addressOf(withFilters(state, current ? { scoreFrom: null, scoreBelow: null } : SCORES[band]))
    return { text: facets.bands[band], count: language.format.number(scores.get(band) ?? 0), href, current }
  })
}

/** These states are shown also where no call has them, so that the list does not jump. */
const ALWAYS: readonly string[] = ORDERED_STATUSES.filter((status) => status !== 'CANCELLED')

interface Month {
  /** As 2026-03. */
  month: string
  total: number
  durationSeconds: number
}

/** So many months the strip shows. */
const MONTHS = 24
/** The height of the strip's highest bar, in its own units. */
const HEIGHT = 40

/** The catalog as a strip of months and a list of years, and the period that is chosen. */
export function monthsOf(catalog: CatalogJson, state: ListState, language: Language) {
  const { format } = language
  const byMonth = new Map(catalog.years.flatMap(({ months }) => months).map((month) => [month.month, month]))
  const known = [...byMonth.keys()].sort()
  const period = periodOf(state.filters)
  const to = (from: string, to: string) => addressOf(withFilters(state, { dateFrom: from, dateTo: to }))
  const withoutDates = addressOf(withFilters(state, { dateFrom: null, dateTo: null }))
  const present = format.dayOf(new Date().toISOString()).slice(0, 7)
  const strip = shownMonths(known, period, present).map(
    (month) => byMonth.get(month) ?? { month, total: 0, durationSeconds: 0 },
  )
  const most = Math.max(1, ...strip.map(({ total }) => total))
  const bar = ({ month, total }: Month) => {
    const height = total === 0 ? 0 : Math.max(2, Math.round((total / most) * HEIGHT))
    return {
      label: `${format.month(month)}: ${format.number(total)}`,
      href: month === period ? withoutDates : to(`${month}-01`, lastDayOf(month)),
      current: month === period || month.slice(0, 4) === period,
      height,
    }
  }
  return {
    title:
      period === null ? language.words.recordings.facets.months : period.length === 4 ? period : format.month(period),
    period: period && (period.length === 4 ? period : format.month(period)),
    bars: strip.map(bar),
    first: strip.length > 0 ? format.shortMonth(strip[0]!.month) : '',
    last: strip.length > 1 ? format.shortMonth(strip.at(-1)!.month) : '',
    years: catalog.years.map(({ year, total }) => ({
      text: String(year),
      count: format.number(total),
      href: period === String(year) ? withoutDates : to(`${year}-01-01`, `${year}-12-31`),
      current: period === String(year),
    })),
    durationSeconds: soundOf([...byMonth.values()], period, state.filters),
  }
}

/** The whole year (2026) or month (2026-03) that the dates stand for; null where they stand for something else. */
function periodOf({ dateFrom = '', dateTo = '' }: Filters): string | null {
  const year = dateFrom.slice(0, 4)
  if (dateFrom === `${year}-01-01` && dateTo === `${year}-12-31`) return year
  const month = dateFrom.slice(0, 7)
  return /^\d{4}-\d\d$/.test(month) && dateFrom.endsWith('-01') && dateTo === lastDayOf(month) ? month : null
}

function lastDayOf(month: string): string {
  const next = Number(month.slice(5))
  return new Date(Date.UTC(Number(month.slice(0, 4)), next, 0)).toISOString().slice(0, 10)
}

/**
 * Up to 24 months without gaps that end with the last one that has calls, or with the year that is chosen. A wrong date of the
 * future does not push the others out: the strip goes beyond the present month only where no call lies before it.
 */
function shownMonths(all: string[], period: string | null, present: string): string[] {
  const past = all.filter((month) => month <= present)
  const known = past.length > 0 ? past : all
  if (known.length === 0) return []
  const index = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1
  const [first, last] = [index(known[0]!), index(known.at(-1)!)]
  const chosen = period === null ? last : index(`${period.slice(0, 4)}-12`)
  // Only where the chosen year lies before what the strip shows anyway does it move.
  const end = chosen < last - MONTHS + 1 + 11 ? Math.min(last, chosen) : last
  const start = Math.max(first, end - MONTHS + 1)
  const shown = Array.from({ length: Math.max(0, end - start + 1) }, (_, n) => start + n)
  return shown.map((n) => `${Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`)
}

/** The length of all calls of the period; null where the catalog cannot tell, because a month is cut. */
function soundOf(months: Month[], period: string | null, { dateFrom, dateTo }: Filters): number | null {
  if (period === null && (dateFrom || dateTo)) return null
  const chosen = months.filter(({ month }) => period === null || month.startsWith(period))
  return chosen.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
}
