import type { Language } from '../frame/i18n.ts'
import { drawSparkline, type SparklineData } from '../frame/sparkline.ts'

/** The small line beside a figure; undefined if there are too few values. */
export type Sparkline = ReturnType<typeof drawSparkline>

const TREND_WEEKS = 12
/** Number of earlier weeks that define the usual range, as in the weekly report. */
const RANGE_WEEKS = 8

/**
 * Draws the last twelve complete weeks of a report. Adds the usual range if all eight weeks before the last have values.
 * @param pick returns the value of a week
 */
export function drawWeeklySparkline<Week extends { complete: boolean }>(
  weeks: Week[],
  { pick, ...trend }: Pick<SparklineData, 'name' | 'shown'> & { pick: (week: Week) => number | null },
  language: Language,
): Sparkline {
  const values = weeks
    .filter(({ complete }) => complete)
    .slice(-TREND_WEEKS)
    .map(pick)
  const before = values.slice(-1 - RANGE_WEEKS, -1).filter((value) => value !== null)
  const hasRange = before.length === RANGE_WEEKS
  return drawSparkline(
    { ...trend, values, ...(hasRange && { low: Math.min(...before), high: Math.max(...before) }) },
    language,
  )
}
