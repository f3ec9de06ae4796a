import type { Config } from '../../platform/config/config.ts'

/** The band of a score. Its colours are the class `score-` and its name, in base.css. */
export type ScoreBand = 'low' | 'middle' | 'good'

export type ScoreBands = Config['SCORE_BANDS']

/** Finds the band of a score from 0 to 100. The score is not rounded, because the filters of lists compare exact scores. */
export function getScoreBand(score: number, [middle, good]: ScoreBands): ScoreBand {
  if (score < middle) return 'low'
  return score < good ? 'middle' : 'good'
}
