import type { Config } from '../../platform/config/config.ts'

/** The range of a score. base.css defines its colour as the class `score-low`, `score-middle` or `score-good`. */
export type ScoreBand = 'low' | 'middle' | 'good'

/** The lowest scores of the bands `middle` and `good`, from the configuration. */
export type ScoreBandLimits = Config['SCORE_BANDS']

/** Returns the band of a score from 0 to 100, rounded as it is shown. Scores of calls are whole numbers, averages are not. */
export function getScoreBand(score: number, [middle, good]: ScoreBandLimits): ScoreBand {
  const shown = Math.round(score)
  if (shown < middle) return 'low'
  return shown < good ? 'middle' : 'good'
}
