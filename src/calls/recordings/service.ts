import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange, insertRecordingAuditEntries } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import { createBatchLoader } from '../../platform/lib/batch-loader.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import {
  hasFullVisibility,
  visibleRecordingByIdCondition,
  visibleRecordingsCondition,
} from '../../people/managers/visibility.ts'
import { addRecordingForecasts } from './forecast.ts'
import { presentRecording, SELECT_RECORDING_WITH_TRANSCRIPT_SQL, type RecordingWithTranscriptRow } from './present.ts'
import { scheduleFileRemoval, removeFileIfDue } from './audio-files.ts'
import type { RecordingJson } from './schema.ts'
import { recordingMessages, RECORDING_STATUS_NAMES } from './messages.ts'
import { toBilingualCode } from '../../platform/lib/messages.ts'

/**
 * Loads a recording that the actor can see, with its transcript and queue forecast.
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadVisibleRecording(core: Core, actor: Actor, id: string): Promise<RecordingWithTranscriptRow> {
  const row = hasFullVisibility(actor) ? await loadRecording(core, id) : await findVisibleRecording(core, actor, id)
  if (!row) throw notFoundError(recordingMessages.noRecording())
  await addRecordingForecasts(core, [row])
  return row
}

/** Loads recordings in batches, because integrations poll many of them at once. */
const loadRecording = createBatchLoader(
  async (core: Core, ids): Promise<(RecordingWithTranscriptRow | undefined)[]> => {
    const { rows } = await core.pool.query<RecordingWithTranscriptRow>({
      text: `${SELECT_RECORDING_WITH_TRANSCRIPT_SQL} WHERE r.id = ANY($1::uuid[])`,
      values: [[...new Set(ids)]],
    })
    // Each caller gets its own copy, because callers change it.
    return ids.map((id) => {
      const row = rows.find((row) => row.id === id.toLowerCase())
      return row && { ...row }
    })
  },
)

async function findVisibleRecording(
  core: Core,
  actor: Actor,
  id: string,
): Promise<RecordingWithTranscriptRow | undefined> {
  const p = new SqlParameters()
  const { rows } = await core.pool.query<RecordingWithTranscriptRow>({
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT_SQL} WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  return rows[0]
}

interface AudioLocation {
  storageKey: string
  fileName: string | null
  /** Length of the audio in seconds; null unless the recording is DONE. */
  durationSeconds: number | null
}

/**
 * Loads the storage key and name of a recording's audio.
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadRecordingAudioLocation(core: Core, actor: Actor, id: string): Promise<AudioLocation> {
  const p = new SqlParameters()
  const { rows } = await core.pool.query<AudioLocation>({
    text: `SELECT r.storage_key AS "storageKey", r.file_name AS "fileName",
                  CASE WHEN r.status = 'DONE' THEN r.duration_seconds END AS "durationSeconds" FROM recordings r
            WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}

/** SQL assignments that queue a recording again with the full number of attempts. */
export const REQUEUE_RECORDING_ASSIGNMENTS_SQL = `
  status = 'QUEUED', attempts = 0, next_attempt_at = now(), error_code = NULL, error_message = NULL, last_error = NULL,
  progress_percent = 0, started_at = NULL, finished_at = NULL, attempt_token = NULL, lease_until = NULL,
  recognizer_deaths = NULL`

/**
 * Returns SQL that runs an update of recordings r, adds an entry per updated row to the history and deletes partial texts. The
 * affected count equals the number of updated rows.
 */
export function updateRecordingWithHistorySql(update: string, kind: 'retried' | 'cancelled'): string {
  return `
    WITH changed AS (${update} RETURNING r.id, r.attempts, r.started_at),
         forgotten AS (DELETE FROM partial_texts p USING changed c WHERE p.recording_id = c.id)
    INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at)
    SELECT id, now(), '${kind}', CASE WHEN started_at IS NOT NULL THEN attempts END, started_at FROM changed`
}

/**
 * Queues a failed or cancelled recording again.
 * @throws HttpError 404 if the actor cannot see the recording, 409 if it has another status
 */
export async function retryRecording(core: Core, actor: Actor, id: string): Promise<RecordingJson> {
  await changeStatus(core, actor, id, RETRY_TRANSITION)
  core.notify('transcription')
  return presentRecording(await loadVisibleRecording(core, actor, id))
}

/**
 * Cancels a queued or running recording. A running recognition is aborted when the next heartbeat finds no claim.
 * @throws HttpError 404 if the actor cannot see the recording, 409 if it has another status
 */
export async function cancelRecording(core: Core, actor: Actor, id: string): Promise<RecordingJson> {
  await changeStatus(core, actor, id, CANCEL_TRANSITION)
  return presentRecording(await loadVisibleRecording(core, actor, id))
}

const RETRY_TRANSITION = {
  action: 'recording.retry',
  verb: 'retried',
  refused: recordingMessages.notRetried,
  from: ['FAILED', 'CANCELLED'],
  to: 'QUEUED',
  set: REQUEUE_RECORDING_ASSIGNMENTS_SQL,
} as const

const CANCEL_TRANSITION = {
  action: 'recording.cancel',
  verb: 'cancelled',
  refused: recordingMessages.notCancelled,
  from: ['QUEUED', 'PROCESSING'],
  to: 'CANCELLED',
  set: `status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL`,
} as const

async function changeStatus(
  core: Core,
  actor: Actor,
  id: string,
  transition: typeof RETRY_TRANSITION | typeof CANCEL_TRANSITION,
): Promise<void> {
  const p = new SqlParameters()
  const recordingCondition = p.and(visibleRecordingByIdCondition(actor, id))
  await runInTransaction(core.db, async (sql) => {
    const statusSql = `SELECT r.status FROM recordings r WHERE ${recordingCondition} FOR UPDATE`
    const { rows } = await sql.query<{ status: string }>({ text: statusSql, values: [...p.values] })
    if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
    const { rowCount } = await sql.query({
      text: updateRecordingWithHistorySql(
        `UPDATE recordings r SET ${transition.set} WHERE ${recordingCondition} AND r.status = ANY(${p.add(transition.from)})`,
        transition.verb,
      ),
      values: p.values,
    })
    if (rowCount !== 1)
      throw conflictError(transition.refused({ status: toBilingualCode(rows[0].status, RECORDING_STATUS_NAMES) }))
    const details = { before: rows[0], after: { status: transition.to } }
    await recordAuditChange(sql, actor, {
      action: transition.action,
      object: { type: 'recording', id: id.toLowerCase() },
      details,
    })
  })
}

/**
 * Queues all failed recordings that the actor can see, including those with faulty audio.
 * @returns the number of recordings
 */
export async function retryFailedRecordings(core: Core, actor: Actor): Promise<number> {
  const retried = await runInTransaction(core.db, async (sql) => {
    const count = await requeueFailedRecordings(sql, actor)
    if (count > 0)
      await recordAuditChange(sql, actor, { action: 'recordings.retry-failed', details: { retried: count } })
    return count
  })
  core.notify('transcription')
  return retried
}

/** Returns an SQL condition that is true if a retry can help. Missing or faulty audio has an error code and would fail again. */
export const isRecordingRetryableSql = (table: string): string => `${table}.error_code IS NULL`

/**
 * Queues failed recordings within a transaction. The caller must notify the queue and record the count in the audit log.
 * @param filterSql condition on recordings r
 * @returns the number of recordings
 */
export async function requeueFailedRecordings(sql: Sql, actor: Actor, filterSql = 'true'): Promise<number> {
  const p = new SqlParameters()
  const condition = `r.status = 'FAILED' AND ${filterSql} AND ${p.and(visibleRecordingsCondition(actor))}`
  const update = `UPDATE recordings r SET ${REQUEUE_RECORDING_ASSIGNMENTS_SQL} WHERE ${condition}`
  const { rows } = await sql.query<{ id: string }>({
    text: `${updateRecordingWithHistorySql(update, 'retried')} RETURNING recording_id AS id`,
    values: p.values,
  })
  const details = { before: { status: 'FAILED' }, after: { status: RETRY_TRANSITION.to } }
  const ids = rows.map(({ id }) => id)
  await insertRecordingAuditEntries(sql, actor, { action: RETRY_TRANSITION.action, details }, ids)
  return ids.length
}

/** The fields of a deleted recording that the audit log keeps. */
const DELETED_COLUMNS = `r.status, r.source, r.external_call_id AS "externalCallId", r.phone_number AS "phoneNumber",
  r.manager_name AS "managerName", r.call_started_at AS "callStartedAt", r.created_at AS "createdAt"`

/**
 * Deletes a recording and its file, and records this in the audit log. A scheduled run retries a failed removal of the file.
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function deleteRecording(core: Core, actor: Actor, id: string): Promise<void> {
  const p = new SqlParameters()
  const storageKey = await runInTransaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string; name: string | null }>({
      text: `DELETE FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}
             RETURNING r.storage_key AS key, r.file_name AS name, ${DELETED_COLUMNS}`,
      values: p.values,
    })
    if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
    const { key, name, ...before } = rows[0]
    await scheduleFileRemoval(sql, key)
    const object = { type: 'recording', id: id.toLowerCase(), name } as const
    await recordAuditChange(sql, actor, { action: 'recording.delete', object, details: { before } })
    return key
  })
  await removeFileIfDue(core, storageKey)
}
