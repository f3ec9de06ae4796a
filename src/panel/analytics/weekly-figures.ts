import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { drawSparkline } from '../frame/sparkline.ts'
import type { FigureFormatter } from './figure-formatter.ts'

export type Kpi = WeeklyJson['kpis'][number]

/** Figures whose increase is bad. */
const WORSE_WHEN_ABOVE: readonly Kpi['name'][] = ['lost']
const SHARE_KPIS: readonly Kpi['name'][] = ['checked', 'rulesMet', 'winRate']
const DEAL_KPIS: readonly Kpi['name'][] = ['won', 'lost', 'winRate']
/** A report has many figures, so a single one must be as rare as this to be hardly chance. */
const HARDLY_CHANCE = 0.01

export const filterFlaggedKpis = ({ kpis }: { kpis: Kpi[] }): Kpi[] => kpis.filter(({ flag }) => flag !== null)

export const findKpi = ({ kpis }: { kpis: Kpi[] }, name: Kpi['name']): Kpi => kpis.find((kpi) => kpi.name === name)!

export function formatKpiName({ name }: Kpi, { t }: FigureFormatter): string {
  if (name === 'won' || name === 'lost') return t.lead.week.names[name]
  return t.cards[name === 'rulesMet' ? 'met' : name]
}

export const formatKpiValue = (name: Kpi['name'], value: number | null, formatter: FigureFormatter): string =>
  value !== null && SHARE_KPIS.includes(name) ? formatter.percent(value) : formatter.number(value)

/** The range of the eight weeks before. */
export function formatRange({ name, low, high }: Kpi, formatter: FigureFormatter): string | null {
  if (low === null || high === null) return null
  const [from, to] = [low, high].map((value) => formatKpiValue(name, value, formatter))
  return from === to ? from! : `${SHARE_KPIS.includes(name) ? from!.replace('%', '').trimEnd() : from!}–${to!}`
}

/** Calls: 138, above the usual 103–133. */
export function formatOutsideRange(kpi: Kpi, formatter: FigureFormatter): string {
  const { outside, flags } = formatter.t.weekly
  const value = formatKpiValue(kpi.name, kpi.figure.value, formatter)
  return outside(formatKpiName(kpi, formatter), value, flags[kpi.flag!], formatRange(kpi, formatter)!)
}

/** A figure of the week against the weeks before. */
export function buildKpiRow(kpi: Kpi, formatter: FigureFormatter) {
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
    range: formatRange(kpi, formatter) ?? '—',
    chance: formatChance(kpi, formatter),
    flag,
    isGood,
  }
}

/** The weeks of a figure. A score has the colour of its band, another figure one if it left its range. */
export function drawKpiTrend(kpi: Kpi, formatter: FigureFormatter) {
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
    },
    formatter.language,
  )
}

/** Whether a figure is as usual or can be chance, in words; the probability is its title. */
export function formatChance({ name, figure, low, flag, p }: Kpi, { t, count, language }: FigureFormatter) {
  const { chance } = t
  if (figure.value === null) return { text: DEAL_KPIS.includes(name) ? chance.fewDeals : chance.fewCalls }
  if (low === null) return { text: chance.fewWeeks }
  const percent = p === null ? null : language.words.common.percent(count(Math.round(1000 * p) / 10))
  const title = percent === null ? undefined : chance.probability(percent)
  if (flag === null) return { text: chance.asUsual, title }
  return { text: `${chance[flag]}, ${p !== null && p < HARDLY_CHANCE ? chance.hardly : chance.could}`, title }
}
