import type { Sql } from '../../platform/db/sql.ts'
import type { Claim } from '../../platform/queue/queue.ts'

/**
 * Notes how an attempt ended, in the transaction that ends it, before anything else: it locks the recording where the
 * claim stands.
 * @returns whether the claim stands; where not, nothing is noted and nothing may be written
 */
export async function recordAttemptEnd(
  sql: Sql,
  claim: Claim,
  kind: 'done' | 'failed_attempt' | 'failed',
  message: string | null = null,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'record-attempt-end',
    text: `INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at, message)
           SELECT id, now(), $3, attempts, started_at, $4 FROM recordings
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING' FOR NO KEY UPDATE`,
    values: [claim.id, claim.token, kind, message],
  })
  return rowCount === 1
}

/**
 * An update of recordings r that somebody asked for, as a statement that notes it for each; its affected count is that
 * of the update. An attempt that still runs ends with it, and so does what it has understood.
 */
export function noteChanged(update: string, kind: 'retried' | 'cancelled'): string {
  return `
    WITH changed AS (${update} RETURNING r.id, r.attempts, r.started_at),
         forgotten AS (DELETE FROM partial_texts p USING changed c WHERE p.recording_id = c.id)
    INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at)
    SELECT id, now(), '${kind}', CASE WHEN started_at IS NOT NULL THEN attempts END, started_at FROM changed`
}
