import { Temporal } from 'temporal-polyfill'
import { formatWeek } from '../../platform/lib/period.ts'
import type { ReportFrame } from '../../reports/schema.ts'
import { drawShare } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { getScoreBand, type ScoreBands } from '../frame/score-bands.ts'
import type { TableCell, TextLink } from './cell.ts'

/** The filters of a page, for links to the lists behind its figures. */
interface LinkFilters {
  from: string
  to: string
  department?: string
  manager?: string
  funnel?: string
  /** The version of rules whose scores the correlation compares. */
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

export type FigureFormatter = ReturnType<typeof createFigureFormatter>

/** Formats figures in a person's language, and addresses of the lists behind them. */
export function createFigureFormatter(language: Language, baseFilters: LinkFilters, bands: ScoreBands) {
  const { words, format } = language
  const t = words.analytics
  const count = (value: number) => format.number(value)
  /** A number with at most one digit after the point. */
  const number = (value: number | null) => (value === null ? '—' : count(Math.round(10 * value) / 10))
  const scoreBand = (value: number | null) => (value === null ? undefined : getScoreBand(value, bands))
  const scoreClass = (value: number | null) => (value === null ? '' : `score-${scoreBand(value)}`)
  const percent = (value: number) => words.common.percent(count(Math.round(100 * value)))
  const ofAll = ({ numerator, denominator }: Ratio) => t.ofAll(count(numerator), count(denominator))
  return {
    language,
    t,
    format,
    /** A writer of a part of the page, such as one manager. */
    narrow: (changes: Partial<LinkFilters>) => createFigureFormatter(language, { ...baseFilters, ...changes }, bands),
    /** The list of the calls behind a figure. */
    callsHref: (filters: Record<string, string> = {}): string => {
      const { from, to, department, manager } = baseFilters
      return `/recordings?${formatQueryString({ dateFrom: from, dateTo: to, department, manager, ...filters })}`
    },
    /** The list of the deals behind a figure: those closed in the period, unless the filters say otherwise. */
    dealsHref: (filters: Record<string, string> = {}): string =>
      `/analytics/deals?${formatQueryString({ ...baseFilters, ...filters })}`,
    /** The weekly report of the week from a Monday, with the same filters. */
    weekHref: (monday: string): string => {
      const { department, manager } = baseFilters
      return `/analytics/weekly?${formatQueryString({ week: formatWeek(Temporal.PlainDate.from(monday)), department, manager })}`
    },
    count,
    percent,
    number,
    /** The band of a score; undefined without one. */
    scoreBand,
    scoreClass,
    /** A score in the colour of its band. */
    score: (value: number | null, href?: string): TableCell => ({
      text: number(value),
      href,
      className: scoreClass(value),
    }),
    money: (value: { amount: number; currency: string } | null) =>
      value === null ? '—' : format.money(value.amount, value.currency),
    ratio: (ratio: Ratio) => (ratio.value === null ? '—' : percent(ratio.value)),
    ofAll,
    /** A share with its bar; a share of too few is shown as two numbers. */
    share: (ratio: Ratio, { low, high, href }: ShareOptions = {}): TableCell => ({
      text: ratio.value !== null ? percent(ratio.value) : ratio.denominator > 0 ? ofAll(ratio) : '—',
      href,
      share: ratio.value === null ? undefined : drawShare({ value: ratio.value, low, high, title: ofAll(ratio) }),
    }),
    /** A name that people gave, or a label for none. */
    name: (name: string | null, none: string = t.nobody): TableCell =>
      name === null ? { text: none } : { text: name, isName: true },
    weekName: ({ from, complete }: { from: string; complete: boolean }) =>
      complete ? t.week(format.day(from)) : `${t.week(format.day(from))}, ${t.unfinished}`,
  }
}

const formatQueryString = (fields: Record<string, string | undefined>): string =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]))).toString()

/** The number of calls behind a report, with and without a score or a deal. Deals have funnels, calls do not. */
export function buildCoverage(
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
