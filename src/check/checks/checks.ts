import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { newId } from '../../platform/lib/ids.ts'
import { forgetRepliesOfCall } from '../model/repeat.ts'

/** A new call is checked before what is checked again, unless somebody waits for it. */
export const PRIORITY = { recalculation: 0, newCall: 5, person: 8 } as const

/** Whether checking is automatic, as SQL over the settings of the call check. */
export const IS_AUTOMATIC = `EXISTS (SELECT FROM settings WHERE name = 'analysis' AND value -> 'automatic' = 'true')`

/**
 * Ends the checks of a call whose transcript goes, in the transaction that takes it away: what was found in it stays on
 * record, and neither its quotes nor its score are shown any more; what runs has read it.
 */
export async function endChecks(sql: Sql, recordingId: string): Promise<void> {
  await sql.query({
    name: 'end-earlier-checks',
    text: `WITH earlier AS (UPDATE analyses SET is_current = false WHERE recording_id = $1 AND is_current),
                waiting AS (UPDATE analyses SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
                             WHERE recording_id = $1 AND status IN ('QUEUED', 'PROCESSING'))
           UPDATE recordings SET score = NULL, mock_score = NULL
            WHERE id = $1 AND coalesce(score, mock_score) IS NOT NULL`,
    values: [recordingId],
  })
  await forgetRepliesOfCall(sql, recordingId)
}

/**
 * Queues the check of a call if checking is automatic, in the transaction that writes its transcript. It replaces the checks of
 * an earlier transcript.
 */
export async function askForCheck(sql: Sql, { ANALYSIS_PROVIDER }: Config, recordingId: string): Promise<void> {
  await endChecks(sql, recordingId)
  if (ANALYSIS_PROVIDER === 'none') return
  await sql.query({
    name: 'ask-for-check',
    text: `INSERT INTO analyses (id, recording_id, priority) SELECT $1, $2, $3 WHERE ${IS_AUTOMATIC}`,
    values: [newId(), recordingId, PRIORITY.newCall],
  })
}

/** Marks the checks of calls as outdated: other rules apply now, but automatic checking is off. */
export async function markOutdated(sql: Sql, recordingIds: string[]): Promise<void> {
  await sql.query({
    text: `UPDATE analyses SET outdated_at = now()
            WHERE recording_id = ANY($1::uuid[]) AND (is_current OR status = 'PROCESSING') AND outdated_at IS NULL`,
    values: [recordingIds],
  })
}

/**
 * Queues another check of a call with priority. A queued check moves forward, and cancelling its recalculation no longer
 * drops it (run_id). A running check may have started with older rules.
 * @param priority by default that of a person who waits
 */
export async function askAgain(sql: Sql, recordingId: string, priority: number = PRIORITY.person): Promise<void> {
  await sql.query({
    text: `WITH waiting AS (
             UPDATE analyses SET priority = greatest(priority, $3), next_attempt_at = now(), run_id = NULL
              WHERE recording_id = $1 AND status = 'QUEUED' RETURNING id)
           INSERT INTO analyses (id, recording_id, priority) SELECT $2, $1, $3 WHERE NOT EXISTS (SELECT FROM waiting)`,
    values: [recordingId, newId(), priority],
  })
}
