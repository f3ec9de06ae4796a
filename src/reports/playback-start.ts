import type { Evidence, VerdictReason } from '../check/rules/types.ts'

/** For a finding without a quote, playback starts this many seconds before the end of the searched part. */
const SECONDS_BEFORE_END = 15

/**
 * Returns the second at which playback of a finding starts: its first quote, else near the end of the searched part.
 * @returns null if the finding has neither
 */
export function chooseFindingPlaybackStart(evidence: Pick<Evidence, 'start'>[], why: VerdictReason): number | null {
  if (evidence[0]) return evidence[0].start
  if (!('from' in why)) return null
  return Math.max(why.from, why.to - SECONDS_BEFORE_END)
}
