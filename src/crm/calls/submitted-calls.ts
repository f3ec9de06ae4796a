import type { Sql } from '../../platform/db/sql.ts'
import type { Config } from '../../platform/config/config.ts'
import { assignCallManagers } from '../managers/assign-managers.ts'

/** True if recording r has the call id of c, and was submitted or is recording $2, whose call id a person corrected. */
const IS_RECORDING_OF_CALL_SQL = `r.external_call_id = c.call_id AND (r.source <> 'crm' OR r.id = $2)`

/**
 * Links portal calls to the recordings that an integration submitted with their call ids.
 * It also queues the deal searches of newly linked recordings, and assigns the managers of all recordings of these calls.
 * Of several rows of a call, it links the row that is already linked, or else the one of chooseCrmCallRow().
 * @param correctedRecordingId a recording whose call id a person corrected, even if it was loaded from the portal
 */
export async function linkSubmittedCalls(
  sql: Sql,
  config: Config,
  callIds: string[],
  correctedRecordingId?: string,
): Promise<void> {
  // Lock in the order of ids, like code that stores calls, so that concurrent links do not deadlock.
  const { rowCount } = await sql.query({
    text: `SELECT FROM crm_calls c JOIN recordings r ON ${IS_RECORDING_OF_CALL_SQL} WHERE c.call_id = ANY ($1)
            ORDER BY c.id FOR UPDATE OF c`,
    values: [callIds, correctedRecordingId],
  })
  if (rowCount) await updateLinks(sql, callIds, correctedRecordingId)
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT recording_id AS id FROM crm_calls WHERE call_id = ANY ($1) AND load_state = 'received' ORDER BY 1`,
    values: [callIds],
  })
  const recordingIds = rows.map(({ id }) => id)
  if (recordingIds.length > 0) await assignCallManagers(sql, config, recordingIds)
}

async function updateLinks(sql: Sql, callIds: string[], correctedRecordingId: string | undefined): Promise<void> {
  await sql.query({
    text: `WITH submitted AS (
             SELECT DISTINCT ON (c.call_id) c.id, c.call_id, r.id AS recording_id
               FROM crm_calls c JOIN recordings r ON ${IS_RECORDING_OF_CALL_SQL} WHERE c.call_id = ANY ($1)
              ORDER BY c.call_id, c.load_state <> 'received', c.file_id IS NULL, c.duration_seconds DESC, c.id DESC),
           doubled AS (
             UPDATE crm_calls c SET load_state = 'doubled', skip_reason = NULL, next_file_check_at = NULL
               FROM submitted s WHERE c.call_id = s.call_id AND c.id <> s.id AND c.load_state <> 'doubled'),
           linked AS (
             UPDATE crm_calls c SET load_state = 'received', skip_reason = NULL, load_error = NULL, next_file_check_at = NULL,
                    recording_id = s.recording_id, loaded_at = coalesce(c.loaded_at, now())
               FROM submitted s
              WHERE c.id = s.id AND (c.load_state <> 'received' OR c.recording_id IS DISTINCT FROM s.recording_id)
             RETURNING c.recording_id)
           INSERT INTO crm_matches AS m (recording_id, state, due_at) SELECT recording_id, 'waiting', now() FROM linked ORDER BY 1
           ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.state <> 'manual'`,
    values: [callIds, correctedRecordingId],
  })
}

/**
 * Links recordings that were submitted after the row of their call was stored.
 * @param since includes recordings from one minute before this time on, because their commit can be late
 */
export async function linkLateSubmittedCalls(sql: Sql, config: Config, since: Date): Promise<void> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT DISTINCT c.call_id AS id FROM recordings r JOIN crm_calls c ON r.external_call_id = c.call_id
            WHERE r.source <> 'crm' AND r.created_at > $1::timestamptz - interval '1 minute'
              AND (c.load_state NOT IN ('received', 'doubled') OR c.load_state = 'received' AND c.recording_id <> r.id)`,
    values: [since],
  })
  const lateCallIds = rows.map(({ id }) => id)
  if (lateCallIds.length > 0) await linkSubmittedCalls(sql, config, lateCallIds)
}
