import type { Sql } from '../../platform/db/sql.ts'
import { isAnsweredCall, isPhoneConversation, type CrmCallRow } from '../bitrix24/calls.ts'

export const CALL_SKIP_REASONS = [
  'informational',
  'unanswered',
  'short',
  'not-in-roster',
  'before-automation',
  'no-recording',
  'too-large',
] as const
export type CallSkipReason = (typeof CALL_SKIP_REASONS)[number]

/** Shorter calls contain nothing to check. */
const MIN_CALL_SECONDS = 15

/** Calls that began at most this long before the automation was enabled are still live. Earlier ones are history. */
const LIVE_WINDOW_SQL = `interval '48 hours'`

/** The values that decide which portal calls are loaded automatically. `roster` has ids of portal users. */
export interface CallEligibilityRules {
  roster: ReadonlySet<string>
  /** Calls that began earlier are history. The time is null if the automation was never enabled. */
  liveSince: Date | null
}

/** Loads the roster and the time from which calls are live. Without a roster, no call is loaded. */
export async function loadCallEligibilityRules(sql: Sql): Promise<CallEligibilityRules> {
  const { rows } = await sql.query<{ roster: string[]; since: Date | null }>({
    text: `SELECT ARRAY(SELECT user_id FROM crm_roster) AS roster,
                  (SELECT enabled_at - ${LIVE_WINDOW_SQL} FROM crm_automation) AS since`,
  })
  return { roster: new Set(rows[0]!.roster), liveSince: rows[0]!.since }
}

/**
 * Returns the reason why a call is not loaded; undefined if it is. Missing and too large recordings are detected later.
 * @param isHistory true for a history load, which ignores `liveSince`
 */
export function findCallSkipReason(
  call: CrmCallRow,
  { roster, liveSince }: CallEligibilityRules,
  isHistory: boolean,
): CallSkipReason | undefined {
  if (!isPhoneConversation(call)) return 'informational'
  if (!isAnsweredCall(call)) return 'unanswered'
  if (call.duration_seconds < MIN_CALL_SECONDS) return 'short'
  if (call.user_id === null || !roster.has(call.user_id)) return 'not-in-roster'
  if (!isHistory && (liveSince === null || call.started_at < liveSince)) return 'before-automation'
  return undefined
}
