import type { PageContext } from '../frame/context.ts'
import { getScoreBand } from '../frame/score-bands.ts'

/** Seconds before a moment at which playback begins. */
const LEAD_SECONDS = 1.5

/** The links of a call: its page at the moment, and the audio that home.js plays from there, if the person can listen. */
export function buildTrack(
  recordingId: string,
  hearFrom: number | null,
  { person, language: { format } }: PageContext,
) {
  const from = Math.max(0, Math.floor((hearFrom ?? 0) - LEAD_SECONDS))
  const href = `/recordings/${recordingId}?t=${from}`
  const mayListen = person.rights.audio === true
  return {
    from,
    href: mayListen ? `${href}#play` : href,
    audio: mayListen ? `/recordings/${recordingId}/playback` : null,
    at: format.length(hearFrom ?? 0),
  }
}

/** A score with the class of its colour. */
export function buildScore(score: number | null, { panel, language: { format } }: PageContext) {
  if (score === null) return null
  return { text: format.number(Math.round(score)), band: getScoreBand(score, panel.config.SCORE_BANDS) }
}
