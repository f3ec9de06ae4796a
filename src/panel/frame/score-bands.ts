import type { Config } from '../../platform/config/config.ts'
import type { PageContext } from './page.ts'

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

/** Formats a rounded score with its band; null without a score. */
export function buildScore(score: number | null, { panel, language: { format } }: PageContext) {
  if (score === null) return null
  return { text: format.number(Math.round(score)), band: getScoreBand(score, panel.config.SCORE_BANDS) }
}
