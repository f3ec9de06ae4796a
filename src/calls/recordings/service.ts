import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordChange, recordChangeOfEach } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { batched } from '../../platform/lib/batch.ts'
import { Parameters, type Where } from '../../platform/lib/where.ts'
import { seesAll, visibleRecording, visibleTo } from '../../people/managers/visibility.ts'
import { addForecast } from './forecast.ts'
import { presentRecording, SELECT_RECORDING_WITH_TRANSCRIPT, type RecordingWithTranscriptRow } from './present.ts'
import { planRemoval, removeFile } from './audio-files.ts'
import type { RecordingJson } from './schema.ts'
import { recordingMessages, STATUS_NAMES } from './messages.ts'
import { named } from '../../platform/lib/messages.ts'

/** Finds a recording that the actor sees, with its forecast. @throws HttpError 404 */
export async function findRow(core: Core, actor: Actor, id: string): Promise<RecordingWithTranscriptRow> {
  const row = seesAll(actor) ? await loadRow(core, id) : await readRow(core, visibleRecording(actor, id))
  if (!row) throw notFound(recordingMessages.noRecording())
  await addForecast(core, [row])
  return row
}

/** In batches, because integrations poll many recordings at once. */
const loadRow = batched(async (core: Core, ids): Promise<(RecordingWithTranscriptRow | undefined)[]> => {
  const { rows } = await core.pool.query<RecordingWithTranscriptRow>({
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE r.id = ANY($1::uuid[])`,
    values: [[...new Set(ids)]],
  })
  // A copy for each caller, because callers change it.
  return ids.map((id) => {
    const row = rows.find((row) => row.id === id.toLowerCase())
    return row && { ...row }
  })
})

async function readRow(core: Core, chosen: Where): Promise<RecordingWithTranscriptRow | undefined> {
  const p = new Parameters()
  const { rows } = await core.pool.query<RecordingWithTranscriptRow>({
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE ${p.and(chosen)}`,
    values: p.values,
  })
  return rows[0]
}

interface AudioLocation {
  storageKey: string
  fileName: string | null
  /** Null until the recording is DONE. */
  durationSeconds: number | null
}

/** Finds the audio of a recording that the actor sees. @throws HttpError 404 */
export async function findAudio(core: Core, actor: Actor, id: string): Promise<AudioLocation> {
  const p = new Parameters()
  const { rows } = await core.pool.query<AudioLocation>({
    text: `SELECT r.storage_key AS "storageKey", r.file_name AS "fileName",
                  CASE WHEN r.status = 'DONE' THEN r.duration_seconds END AS "durationSeconds" FROM recordings r
            WHERE ${p.and(visibleRecording(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFound(recordingMessages.noRecording())
  return rows[0]
}

/** SQL assignments of a recording that waits again. */
export const BACK_INTO_QUEUE = `
  status = 'QUEUED', attempts = 0, next_attempt_at = now(), error_code = NULL, error_message = NULL, last_error = NULL,
  progress_percent = 0, started_at = NULL, finished_at = NULL, attempt_token = NULL, lease_until = NULL,
  recognizer_deaths = NULL`

/** SQL: updates recordings r, adds to their history, ends running attempts. The affected count is of the update. */
export function updateWithHistory(update: string, kind: 'retried' | 'cancelled'): string {
  return `
    WITH changed AS (${update} RETURNING r.id, r.attempts, r.started_at),
         forgotten AS (DELETE FROM partial_texts p USING changed c WHERE p.recording_id = c.id)
    INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at)
    SELECT id, now(), '${kind}', CASE WHEN started_at IS NOT NULL THEN attempts END, started_at FROM changed`
}

/** Puts a failed or cancelled recording back into the queue. @throws HttpError 404, 409 */
export async function retryRecording(core: Core, actor: Actor, id: string): Promise<RecordingJson> {
  await change(core, actor, id, RETRY)
  core.notify('transcription')
  return presentRecording(await findRow(core, actor, id))
}

/** Takes a recording out of the queue or from its worker, whose heartbeat fails. @throws HttpError 404, 409 */
export async function cancelRecording(core: Core, actor: Actor, id: string): Promise<RecordingJson> {
  await change(core, actor, id, CANCEL)
  return presentRecording(await findRow(core, actor, id))
}

const RETRY = {
  action: 'recording.retry',
  verb: 'retried',
  refused: recordingMessages.notRetried,
  from: ['FAILED', 'CANCELLED'],
  to: 'QUEUED',
  set: BACK_INTO_QUEUE,
} as const

const CANCEL = {
  action: 'recording.cancel',
  verb: 'cancelled',
  refused: recordingMessages.notCancelled,
  from: ['QUEUED', 'PROCESSING'],
  to: 'CANCELLED',
  set: `status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL`,
} as const

async function change(core: Core, actor: Actor, id: string, move: typeof RETRY | typeof CANCEL): Promise<void> {
  const p = new Parameters()
  const one = p.and(visibleRecording(actor, id))
  await transaction(core.db, async (sql) => {
    const was = `SELECT r.status FROM recordings r WHERE ${one} FOR UPDATE`
    const { rows } = await sql.query<{ status: string }>({ text: was, values: [...p.values] })
    if (!rows[0]) throw notFound(recordingMessages.noRecording())
    const { rowCount } = await sql.query({
      text: updateWithHistory(
        `UPDATE recordings r SET ${move.set} WHERE ${one} AND r.status = ANY(${p.add(move.from)})`,
        move.verb,
      ),
      values: p.values,
    })
    if (rowCount !== 1) throw conflict(move.refused({ status: named(rows[0].status, STATUS_NAMES) }))
    const details = { before: rows[0], after: { status: move.to } }
    await recordChange(sql, actor, {
      action: move.action,
      object: { type: 'recording', id: id.toLowerCase() },
      details,
    })
  })
}

/** Retries every failed recording that the actor sees; returns their number. */
export async function retryAllFailed(core: Core, actor: Actor): Promise<number> {
  const retried = await transaction(core.db, async (sql) => {
    const count = await requeueRecordings(sql, actor)
    if (count > 0) await recordChange(sql, actor, { action: 'recordings.retry-failed', details: { retried: count } })
    return count
  })
  core.notify('transcription')
  return retried
}

/** A condition on recordings: whether a retry can help. An error of the audio stays. */
export const IS_RETRYABLE = (table: string): string => `${table}.error_code IS NULL`

/** The same in a transaction, with a condition on r. The caller notifies the queue and records the count in the audit log. */
export async function requeueRecordings(sql: Sql, actor: Actor, which = 'true'): Promise<number> {
  const p = new Parameters()
  const chosen = `r.status = 'FAILED' AND ${which} AND ${p.and(visibleTo(actor))}`
  const update = `UPDATE recordings r SET ${BACK_INTO_QUEUE} WHERE ${chosen}`
  const { rows } = await sql.query<{ id: string }>({
    text: `${updateWithHistory(update, 'retried')} RETURNING recording_id AS id`,
    values: p.values,
  })
  const details = { before: { status: 'FAILED' }, after: { status: RETRY.to } }
  const ids = rows.map(({ id }) => id)
  await recordChangeOfEach(sql, actor, { action: RETRY.action, details }, ids)
  return ids.length
}

/** The fields of a deleted recording in the audit log. */
const DELETED = `r.status, r.source, r.external_call_id AS "externalCallId", r.phone_number AS "phoneNumber",
  r.manager_name AS "managerName", r.call_started_at AS "callStartedAt", r.created_at AS "createdAt"`

/** @throws HttpError 404 */
export async function deleteRecording(core: Core, actor: Actor, id: string): Promise<void> {
  const p = new Parameters()
  const storageKey = await transaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ key: string; name: string | null }>({
      text: `DELETE FROM recordings r WHERE ${p.and(visibleRecording(actor, id))}
             RETURNING r.storage_key AS key, r.file_name AS name, ${DELETED}`,
      values: p.values,
    })
    if (!rows[0]) throw notFound(recordingMessages.noRecording())
    const { key, name, ...before } = rows[0]
    await planRemoval(sql, key)
    const object = { type: 'recording', id: id.toLowerCase(), name } as const
    await recordChange(sql, actor, { action: 'recording.delete', object, details: { before } })
    return key
  })
  await removeFile(core, storageKey)
}
