import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordChange, recordChangeOfEach } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { batched } from '../../platform/lib/batch.ts'
import { Parameters, statementName, type Where } from '../../platform/lib/where.ts'
import { seesAll, visibleRecording, visibleTo } from '../../people/managers/visibility.ts'
import { addForecast } from './forecast.ts'
import { noteChanged } from '../timeline/history.ts'
import { presentRecording, SELECT_RECORDING_WITH_TRANSCRIPT, type RecordingWithTranscriptRow } from './present.ts'
import { planRemoval, removeFile } from './removals.ts'
import type { RecordingJson } from './schema.ts'
import { recordingMessages } from './messages.ts'

/** Reads one recording that the actor may see. @throws HttpError 404 */
export async function findRow(core: Core, actor: Actor, id: string): Promise<RecordingWithTranscriptRow> {
  const row = seesAll(actor) ? await loadRow(core, id) : await readRow(core, visibleRecording(actor, id))
  if (!row) throw notFound(recordingMessages.noRecording())
  await addForecast(core, [row])
  return row
}

/** In batches, because integrations poll many recordings at once. */
const loadRow = batched(async (core: Core, ids): Promise<(RecordingWithTranscriptRow | undefined)[]> => {
  const { rows } = await core.pool.query<RecordingWithTranscriptRow>({
    name: 'read-recordings',
    text: `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE r.id = ANY($1::uuid[])`,
    values: [[...new Set(ids)]],
  })
  // A row of its own for each: callers add to it.
  return ids.map((id) => {
    const row = rows.find((row) => row.id === id.toLowerCase())
    return row && { ...row }
  })
})

async function readRow(core: Core, chosen: Where): Promise<RecordingWithTranscriptRow | undefined> {
  const p = new Parameters()
  const text = `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE ${p.and(chosen)}`
  const name = statementName('read-recording', text)
  const { rows } = await core.pool.query<RecordingWithTranscriptRow>({ name, text, values: p.values })
  return rows[0]
}

interface StoredSound {
  storageKey: string
  fileName: string | null
  /** Of what was decoded; null until it was. */
  durationSeconds: number | null
}

/** Where the audio of a visible recording lies. @throws HttpError 404 */
export async function findAudio(core: Core, actor: Actor, id: string): Promise<StoredSound> {
  const p = new Parameters()
  const { rows } = await core.pool.query<StoredSound>({
    text: `SELECT r.storage_key AS "storageKey", r.file_name AS "fileName",
                  CASE WHEN r.status = 'DONE' THEN r.duration_seconds END AS "durationSeconds" FROM recordings r
            WHERE ${p.and(visibleRecording(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFound(recordingMessages.noRecording())
  return rows[0]
}

/** What a recording that waits again shows no more, as SQL assignments. */
export const BACK_INTO_QUEUE = `
  status = 'QUEUED', attempts = 0, next_attempt_at = now(), error_code = NULL, error_message = NULL, last_error = NULL,
  progress_percent = 0, started_at = NULL, finished_at = NULL, attempt_token = NULL, lease_until = NULL,
  recognizer_deaths = NULL`

/** Puts a failed or cancelled recording back into the queue. @throws HttpError 404, 409 */
export async function retryRecording(core: Core, actor: Actor, id: string): Promise<RecordingJson> {
  await change(core, actor, id, RETRY)
  core.notify('transcription')
  return presentRecording(await findRow(core, actor, id))
}

/** Takes a recording out of the queue or from its worker, which notices by its lease. @throws HttpError 404, 409 */
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
      text: noteChanged(
        `UPDATE recordings r SET ${move.set} WHERE ${one} AND r.status = ANY(${p.add(move.from)})`,
        move.verb,
      ),
      values: p.values,
    })
    if (rowCount !== 1) throw conflict(move.refused({ status: rows[0].status }))
    const details = { before: rows[0], after: { status: move.to } }
    await recordChange(sql, actor, {
      action: move.action,
      object: { type: 'recording', id: id.toLowerCase() },
      details,
    })
  })
}

/** Puts every failed recording that the actor may see back into the queue; returns how many. */
export async function retryAllFailed(core: Core, actor: Actor): Promise<number> {
  const retried = await transaction(core.db, async (sql) => {
    const count = await requeueRecordings(sql, actor)
    if (count > 0) await recordChange(sql, actor, { action: 'recordings.retry-failed', details: { retried: count } })
    return count
  })
  core.notify('transcription')
  return retried
}

/** What a retry can mend, as a condition on a table of recordings: a violation of the audio stays one. */
export const IS_MENDABLE = (table: string): string => `${table}.error_code IS NULL`

/** The same inside a transaction, of those that a condition on r chooses. The caller notifies the queue and notes the count in the audit log. */
export async function requeueRecordings(sql: Sql, actor: Actor, which = 'true'): Promise<number> {
  const p = new Parameters()
  const chosen = `r.status = 'FAILED' AND ${which} AND ${p.and(visibleTo(actor))}`
  const update = `UPDATE recordings r SET ${BACK_INTO_QUEUE} WHERE ${chosen}`
  const { rows } = await sql.query<{ id: string }>({
    text: `${noteChanged(update, 'retried')} RETURNING recording_id AS id`,
    values: p.values,
  })
  const details = { before: { status: 'FAILED' }, after: { status: RETRY.to } }
  const ids = rows.map(({ id }) => id)
  await recordChangeOfEach(sql, actor, { action: RETRY.action, details }, ids)
  return ids.length
}

/** What the audit log keeps of a recording that is deleted. */
const DELETED = `r.status, r.source, r.external_call_id AS "externalCallId", r.phone_number AS "phoneNumber",
  r.manager_name AS "managerName", r.call_started_at AS "callStartedAt", r.created_at AS "createdAt"`

/** Deletes a recording with everything that hangs on it. @throws HttpError 404 */
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
