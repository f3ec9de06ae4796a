import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import { formatRange } from '../frame/ranges.ts'
import { drawSparkline, type SparklineData } from '../frame/sparkline.ts'
import type { FigureFormatter } from './figure-formatter.ts'

/** One figure of the weekly report: its value, its usual range and its earlier weeks. */
export type WeeklyKpi = WeeklyReportJson['kpis'][number]

const WORSE_WHEN_ABOVE: readonly WeeklyKpi['name'][] = ['lost']
const SHARE_KPIS: readonly WeeklyKpi['name'][] = ['checked', 'rulesMet', 'winRate']
const DEAL_KPIS: readonly WeeklyKpi['name'][] = ['won', 'lost', 'winRate']
/** Probability below which a change is called hardly chance. It is small because a report tests many figures at once. */
const HARDLY_CHANCE = 0.01

/** Returns true if chance hardly explains a change. @param p its probability; null if unknown */
export const isHardlyChance = (p: number | null): boolean => p !== null && p < HARDLY_CHANCE

/** Returns the figures that left their usual range. */
export const filterFlaggedKpis = ({ kpis }: { kpis: WeeklyKpi[] }): WeeklyKpi[] =>
  kpis.filter(({ flag }) => flag !== null)

/** Returns a figure by name. The report always contains every figure. */
export const findKpi = ({ kpis }: { kpis: WeeklyKpi[] }, name: WeeklyKpi['name']): WeeklyKpi =>
  kpis.find((kpi) => kpi.name === name)!

/** Returns the title of a figure in the person's language. */
export function formatKpiName({ name }: WeeklyKpi, { t }: FigureFormatter): string {
  if (name === 'won' || name === 'lost') return t.lead.week.names[name]
  return t.cards[name === 'rulesMet' ? 'met' : name]
}

/** Formats a value as a percentage if the figure is a share, otherwise as a number. Null becomes a dash. */
export function formatKpiValue(
  name: WeeklyKpi['name'],
  value: number | null,
  { language, count }: FigureFormatter,
): string {
  if (value === null) return '—'
  const isShare = SHARE_KPIS.includes(name)
  const text = count(Math.round(isShare ? 100 * value : value))
  return isShare ? language.words.common.percent(text) : text
}

/** Formats the usual range, such as 103–133; null without a range. */
export function formatKpiRange(kpi: WeeklyKpi, formatter: FigureFormatter): string | null {
  const { name, low, high } = kpi
  if (low === null || high === null) return null
  return formatRange(formatKpiValue(name, low, formatter), formatKpiValue(name, high, formatter))
}

/** Formats a figure that left its usual range, such as `Calls: 138, above the usual 103–133`. */
export function formatKpiOutsideRange(kpi: WeeklyKpi, formatter: FigureFormatter): string {
  const { outside, flags } = formatter.t.weekly
  const value = formatKpiValue(kpi.name, kpi.figure.value, formatter)
  return outside(formatKpiName(kpi, formatter), value, flags[kpi.flag!], formatKpiRange(kpi, formatter)!)
}

/** Builds a table row that compares a figure with the previous week and the usual range. */
export function buildKpiRow(kpi: WeeklyKpi, formatter: FigureFormatter) {
  const { name, figure, previous, flag } = kpi
  const { value, numerator, denominator } = figure
  const isGood = flag !== null && (flag === 'above') !== WORSE_WHEN_ABOVE.includes(name)
  return {
    name: formatKpiName(kpi, formatter),
    value: formatKpiValue(name, value, formatter),
    of: numerator === null ? '' : formatter.ofAll({ value: null, numerator, denominator: denominator! }),
    className: name === 'score' ? formatter.scoreClass(value) : flag === null ? '' : `flag ${isGood ? 'good' : 'bad'}`,
    sparkline: drawKpiTrend(kpi, formatter),
    previous: formatKpiValue(name, previous, formatter),
    range: formatKpiRange(kpi, formatter) ?? '—',
    chance: formatKpiChance(kpi, formatter),
    flag,
    isGood,
  }
}

/**
 * Draws the weekly values of a figure. Scores get the colour of their band, other figures a colour only outside their usual
 * range.
 */
export function drawKpiTrend(kpi: WeeklyKpi, formatter: FigureFormatter, size?: SparklineData['size']) {
  const { name, figure, low, high, flag, weeks } = kpi
  const isBad = flag !== null && (flag === 'above') === WORSE_WHEN_ABOVE.includes(name)
  const flagBand = flag === null ? undefined : isBad ? 'low' : 'good'
  return drawSparkline(
    {
      name: formatKpiName(kpi, formatter),
      values: weeks,
      low,
      high,
      band: name === 'score' ? formatter.scoreBand(figure.value) : flagBand,
      shown: (value) => formatKpiValue(name, value, formatter),
      ...(size && { size }),
    },
    formatter.language,
  )
}

/** Explains in words whether a change can be chance. The title gives the probability. */
export function formatKpiChance({ name, figure, low, flag, p }: WeeklyKpi, { t, count, language }: FigureFormatter) {
  const { chance } = t
  if (figure.value === null) return { text: DEAL_KPIS.includes(name) ? chance.fewDeals : chance.fewCalls }
  if (low === null) return { text: chance.fewWeeks }
  const percent = p === null ? null : language.words.common.percent(count(Math.round(1000 * p) / 10))
  const title = percent === null ? undefined : chance.probability(percent)
  if (flag === null) return { text: chance.asUsual, title }
  return { text: `${chance[flag]}, ${isHardlyChance(p) ? chance.hardly : chance.could}`, title }
}
