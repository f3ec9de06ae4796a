import type { Evidence, VerdictReason } from '../../check/rules/types.ts'

/** Without a quote, the end of the searched part is played from this many seconds before. */
const SECONDS_BEFORE_END = 15

/** The second from which to hear a finding: its first quote, else near the end of the part that was searched. */
export function findMoment(evidence: Pick<Evidence, 'start'>[], why: VerdictReason): number | null {
  if (evidence[0]) return evidence[0].start
  if (!('from' in why)) return null
  return Math.max(why.from, why.to - SECONDS_BEFORE_END)
}
