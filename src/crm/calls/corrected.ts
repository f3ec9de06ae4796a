import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { queueAgain } from './rows.ts'
import { linkSubmitted } from './submitted.ts'

/**
 * Locks the portal calls that a correction of a call id links and unlinks. Call it before locking the recording: code that
 * stores calls locks the rows in this order.
 */
export async function lockCalls(sql: Sql, recordingId: string, callId: string | null): Promise<void> {
  await sql.query({
    text: 'SELECT FROM crm_calls WHERE recording_id = $1 OR call_id = $2 ORDER BY id FOR UPDATE',
    values: [recordingId, callId],
  })
}

/**
 * Links a recording only to the portal call that it now names. The queue `crm-sync` decides again about a call that lost its
 * recording, and loads it.
 * @returns whether a call was queued: then notify `crm-sync` after the commit
 */
export async function followCallId(
  sql: Sql,
  config: Config,
  recordingId: string,
  callId: string | null,
): Promise<boolean> {
  const { rows } = await sql.query<{ id: string }>({
    text: `UPDATE crm_calls SET load_state = 'waiting', recording_id = NULL, loaded_at = NULL, loaded_file_id = NULL,
                  file_size = NULL, file_version = NULL, next_file_check_at = NULL
            WHERE recording_id = $1 AND call_id IS DISTINCT FROM $2 RETURNING call_id AS id`,
    values: [recordingId, callId],
  })
  await queueAgain(
    sql,
    rows.map(({ id }) => id),
  )
  if (callId !== null) await linkSubmitted(sql, config, [callId], recordingId)
  return rows.length > 0
}
