import { Temporal } from 'temporal-polyfill'
import { formatIsoWeek } from '../../platform/lib/period.ts'
import type { ReportFrame } from '../../reports/schema.ts'
import { drawShareBar } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { getScoreBand, type ScoreBandLimits } from '../frame/score-bands.ts'
import type { TableCell, TextLink } from './cell.ts'

/** Filters of a page, which links pass to the lists behind its figures. */
interface LinkFilters {
  from: string
  to: string
  department?: string
  manager?: string
  funnel?: string
  /** Rule set version whose scores the correlation compares, as `set/version`. */
  scoredBy?: string
}

interface Ratio {
  value: number | null
  numerator: number
  denominator: number
}

interface ShareOptions {
  low?: number | null
  high?: number | null
  href?: string | undefined
}

/** Formats figures, names and weeks for one language, and links each figure to its list with the filters of the page. */
export type FigureFormatter = ReturnType<typeof createFigureFormatter>

/** Creates the formatter of a report page. @param baseFilters filters of all links @param bands limits that colour scores */
export function createFigureFormatter(language: Language, baseFilters: LinkFilters, bands: ScoreBandLimits) {
  const { words, format } = language
  const t = words.analytics
  const count = (value: number) => format.number(value)
  const number = (value: number | null) => (value === null ? '—' : count(Math.round(10 * value) / 10))
  const score = (value: number | null) => (value === null ? '—' : count(Math.round(value)))
  const scoreBand = (value: number | null) => (value === null ? undefined : getScoreBand(value, bands))
  const scoreClass = (value: number | null) => (value === null ? '' : `score-${scoreBand(value)}`)
  const percent = (value: number) => words.common.percent(count(Math.round(100 * value)))
  const ofAll = ({ numerator, denominator }: Ratio) => t.ofAll(count(numerator), count(denominator))
  return {
    language,
    t,
    format,
    /** Returns a formatter whose links have additional filters, such as one manager. */
    narrow: (changes: Partial<LinkFilters>) => createFigureFormatter(language, { ...baseFilters, ...changes }, bands),
    /** Returns the address of the calls in the period. @param filters added to or replacing the filters of the page */
    callsHref: (filters: Record<string, string> = {}): string => {
      const { from, to, department, manager } = baseFilters
      return `/recordings?${formatQueryString({ dateFrom: from, dateTo: to, department, manager, ...filters })}`
    },
    /** Returns the address of the deals closed in the period. @param filters added to or replacing the filters of the page */
    dealsHref: (filters: Record<string, string> = {}): string =>
      `/analytics/deals?${formatQueryString({ ...baseFilters, ...filters })}`,
    /** Returns the address of a weekly report. @param monday first day of the week, YYYY-MM-DD */
    weekHref: (monday: string): string => {
      const { department, manager } = baseFilters
      return `/analytics/weekly?${formatQueryString({ week: formatIsoWeek(Temporal.PlainDate.from(monday)), department, manager })}`
    },
    count,
    percent,
    number,
    /** Shows a score as a whole number, which its band also counts. */
    score,
    scoreBand,
    scoreClass,
    scoreCell: (value: number | null, href?: string): TableCell => ({
      text: score(value),
      href,
      className: scoreClass(value),
    }),
    money: (value: { amount: number; currency: string } | null) =>
      value === null ? '—' : format.money(value.amount, value.currency),
    ratio: (ratio: Ratio) => (ratio.value === null ? '—' : percent(ratio.value)),
    ofAll,
    /** Shows a share with a bar. If the denominator is too small for a share, shows both numbers instead. */
    share: (ratio: Ratio, { low, high, href }: ShareOptions = {}): TableCell => ({
      text: ratio.value !== null ? percent(ratio.value) : ratio.denominator > 0 ? ofAll(ratio) : '—',
      href,
      share: ratio.value === null ? undefined : drawShareBar({ value: ratio.value, low, high, title: ofAll(ratio) }),
    }),
    name: (name: string | null, none: string = t.nobody): TableCell =>
      name === null ? { text: none } : { text: name, isName: true },
    weekName: ({ from, complete }: { from: string; complete: boolean }) =>
      complete ? t.week(format.day(from)) : `${t.week(format.day(from))}, ${t.unfinished}`,
  }
}

const formatQueryString = (fields: Record<string, string | undefined>): string =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]))).toString()

/** Links the numbers of all, checked and deal-linked calls behind a report. The text says if calls ignore the funnel filter. */
export function buildCoverageLinks(
  { coverage, filters }: Pick<ReportFrame, 'coverage' | 'filters'>,
  formatter: FigureFormatter,
): TextLink[] {
  const { calls, checked, linked } = coverage
  const t = formatter.t.coverage
  return [
    {
      text: (filters.funnel === null ? t.calls : t.callsOfAll)(calls, formatter.count(calls)),
      href: formatter.callsHref(),
    },
    { text: t.checked(checked, formatter.count(checked)), href: formatter.callsHref({ scoreFrom: '0' }) },
    { text: t.linked(linked, formatter.count(linked)), href: formatter.callsHref({ linked: 'true' }) },
  ]
}
