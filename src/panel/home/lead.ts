import type { PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { formatRange } from '../frame/ranges.ts'
import { buildScore } from '../frame/score-bands.ts'
import { drawSparkline } from '../frame/sparkline.ts'

/** The width and height of the trend beside the first sentence, in pixels. */
const TREND_SIZE = { width: 340, height: 48 }

interface WeeklyScores {
  score: number | null
  /** The usual range; null with too few weeks. */
  low: number | null
  high: number | null
  /** The scores of the weeks until the one that starts on the day `from`. */
  weeks: (number | null)[]
  from: string
}

/** Builds the score of a week with its usual range and its trend. @param name the accessible name of the trend */
export function buildScoreTrend({ score, low, high, weeks, from }: WeeklyScores, name: string, context: PageContext) {
  const { language } = context
  const { format } = language
  const shown = (value: number) => format.number(Math.round(value))
  const current = buildScore(score, context)
  const trend = { name, values: weeks, low, high, band: current?.band, shown, size: TREND_SIZE }
  return {
    score: current,
    usually: low === null || high === null ? null : formatUsualRange(shown(low), shown(high), language),
    sparkline: drawSparkline(trend, language),
    /** The Mondays of the first and last week. */
    ends: [addDays(from, -7 * (weeks.length - 1)), from].map((day) => format.shortDay(day)),
  }
}

/** Formats the usual range of a figure. Equal limits are shown as one number. */
export const formatUsualRange = (low: string, high: string, { words: { home } }: Language): string =>
  home.head.usually(formatRange(low, high))

/** Formats when the stored weekly report was computed; an empty string for current figures. */
export const formatAsOf = (asOf: string | null, { words, format }: Language): string =>
  asOf === null ? '' : `, ${words.analytics.weekly.asOf(format.shortTime(asOf))}`
