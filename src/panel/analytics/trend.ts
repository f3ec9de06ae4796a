import type { Language } from '../frame/i18n.ts'
import { drawSparkline, type Trend } from '../frame/sparkline.ts'

export type Sparkline = ReturnType<typeof drawSparkline>

const TREND_WEEKS = 12
/** The weeks before the last one that make the usual range, as in the weekly report. */
const RANGE_WEEKS = 8

/** The last complete weeks of a report's period, with the usual range if there are enough of them. */
export function drawWeeksTrend<Week extends { complete: boolean }>(
  weeks: Week[],
  { pick, ...trend }: Pick<Trend, 'name' | 'shown'> & { pick: (week: Week) => number | null },
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
