import type { Sql } from '../../platform/db/sql.ts'
import type { CallRow } from './rows.ts'

/** Why a call of the portal is not loaded. */
export const SKIP_REASONS = [
  'informational',
  'unanswered',
  'short',
  'not-in-roster',
  'before-automation',
  'no-recording',
  'too-large',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Shorter calls hold nothing to check. */
const SHORTEST_SECONDS = 15

/** A call that ended so long before the automation was switched on is history, which an estimate loads. */
export const LIVE_BEFORE = `interval '48 hours'`

/** What decides about calls, as it is now. */
export interface Rules {
  /** The portal's users whose calls are loaded. */
  roster: ReadonlySet<string>
  /** Older calls are history. */
  liveSince: Date | null
}

export async function readRules(sql: Sql): Promise<Rules> {
  const { rows } = await sql.query<{ roster: string[]; since: Date | null }>({
    text: `SELECT ARRAY(SELECT user_id FROM crm_roster) AS roster,
                  (SELECT enabled_at - ${LIVE_BEFORE} FROM crm_automation) AS since`,
  })
  return { roster: new Set(rows[0]!.roster), liveSince: rows[0]!.since }
}

type Judged = Pick<CallRow, 'type' | 'failed_code' | 'duration_seconds' | 'user_id' | 'started_at'>

/** Why a call is not loaded; undefined where it is. Whether it has a recording shows later. */
export function skipReason(call: Judged, { roster, liveSince }: Rules, isHistory: boolean): SkipReason | undefined {
  if (call.type < 1 || call.type > 4) return 'informational'
  if (call.failed_code !== '200') return 'unanswered'
  if (call.duration_seconds < SHORTEST_SECONDS) return 'short'
  if (call.user_id === null || !roster.has(call.user_id)) return 'not-in-roster'
  if (!isHistory && (liveSince === null || call.started_at < liveSince)) return 'before-automation'
  return undefined
}
