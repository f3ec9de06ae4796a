import { computeMeanForAnyCount, computeRatio, roundToDigits } from '../definitions/figures.ts'
import { MIN_SAMPLE_SIZE } from '../definitions/values.ts'
import { computePredictionPValue } from '../definitions/statistics.ts'
import { USUAL_RANGE_WEEKS, sumWeekFigures, type WeekFigures } from './week-figures.ts'
import type { WeeklyReportJson } from './schema.ts'

type Kpi = WeeklyReportJson['kpis'][number]
type Figure = Kpi['figure']

const toCountFigure = (value: number): Figure => ({ value, numerator: null, denominator: null })

const KPI_FORMULAS: Record<Kpi['name'], (week: WeekFigures, minScored: number) => Figure> = {
  calls: ({ calls }) => toCountFigure(calls),
  checked: ({ checked, done }) => computeRatio(checked, done),
  score: ({ score, checked }, minScored) => ({
    value: checked < minScored ? null : computeMeanForAnyCount(score, checked).value,
    numerator: null,
    denominator: checked,
  }),
  rulesMet: ({ met, missed }) => computeRatio(met, met + missed),
  won: ({ won }) => toCountFigure(won),
  lost: ({ lost }) => toCountFigure(lost),
  winRate: ({ won, lost }) => computeRatio(won, won + lost),
}
const KPI_NAMES = Object.keys(KPI_FORMULAS) as Kpi['name'][]
/** A manager has few calls a week, so the score of one manager needs fewer of them than that of several. */
const MIN_MANAGER_SCORED = 5
const SHARE_KPIS: readonly Kpi['name'][] = ['checked', 'rulesMet', 'winRate']

/**
 * Compares the last week with the eight weeks before it and flags figures outside their range.
 * @param isRunning true for an incomplete week, in which nothing is flagged
 * @param minScored a week of fewer scored calls has no score
 */
export function computeWeeklyKpis(weeks: WeekFigures[], isRunning = false, minScored = MIN_SAMPLE_SIZE): Kpi[] {
  const week = weeks.at(-1) ?? sumWeekFigures([])
  const before = weeks.slice(0, -1).slice(-USUAL_RANGE_WEEKS)
  const first = before.findIndex(({ calls, won, lost }) => calls + won + lost > 0)
  // Weeks before the first call or deal are unknown and not zero, so they are omitted.
  const known = first < 0 ? [] : before.slice(first)
  const lastFourWeeks = known.length < 4 ? null : sumWeekFigures(known.slice(-4))
  return KPI_NAMES.map((name) => {
    const figure = KPI_FORMULAS[name](week, minScored)
    const values = known.map((one) => KPI_FORMULAS[name](one, minScored).value)
    const numbers = values.filter((value) => value !== null)
    const hasRange = numbers.length > 0 && numbers.length === before.length
    const [low, high] = hasRange ? [Math.min(...numbers), Math.max(...numbers)] : [null, null]
    const isComparable = hasRange && !isRunning && figure.value !== null
    return {
      name,
      figure,
      previous: values.at(-1) ?? null,
      meanOfFour: lastFourWeeks && computeMeanOfFour(name, lastFourWeeks, minScored),
      low,
      high,
      flag: isRunning ? null : chooseFlag(name, figure.value, low, high),
      p: isComparable ? computePredictionPValue(figure.value!, numbers) : null,
      weeks: computeTrend(name, weeks, minScored),
    }
  })
}

/** Compares the last week of one manager, as `computeWeeklyKpis()` does for several. */
export const computeManagerKpis = (weeks: WeekFigures[], isRunning = false): Kpi[] =>
  computeWeeklyKpis(weeks, isRunning, MIN_MANAGER_SCORED)

/** Returns the values from the first week with a call or a deal. */
function computeTrend(name: Kpi['name'], weeks: WeekFigures[], minScored: number): Kpi['weeks'] {
  const first = weeks.findIndex(({ calls, won, lost }) => calls + won + lost > 0)
  return first < 0 ? [] : weeks.slice(first).map((week) => KPI_FORMULAS[name](week, minScored).value)
}

/**
 * Returns whether a value is outside its usual range, compared as whole numbers and whole percents, which people read.
 * @returns null if it is inside or looks like a limit, or if one of the numbers is unknown
 */
export function chooseFlag(
  name: Kpi['name'],
  value: number | null,
  low: number | null,
  high: number | null,
): Kpi['flag'] {
  if (value === null || low === null || high === null) return null
  const round = (one: number) => Math.round(SHARE_KPIS.includes(name) ? 100 * one : one)
  return round(value) < round(low) ? 'below' : round(value) > round(high) ? 'above' : null
}

/** Counts are averaged; shares and scores are recomputed from the sums of the four weeks. */
function computeMeanOfFour(name: Kpi['name'], lastFourWeeks: WeekFigures, minScored: number): number | null {
  const { value, denominator } = KPI_FORMULAS[name](lastFourWeeks, minScored)
  return denominator === null && value !== null ? roundToDigits(value / 4, 1) : value
}
