import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange, type AuditEntry } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { badRequestError, conflictError, HttpError } from '../../platform/errors.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { findResolvedLinkViolation } from '../../platform/outbound/net-guard.ts'
import { parseIsoTime } from '../../platform/lib/time.ts'
import { confirmStoredAudio, type StoredAudio } from './audio-files.ts'
import { lockAudioHash, selectDuplicateRecordingSql } from './duplicates.ts'
import type { CallSource } from './entity.ts'
import { addRecordingForecasts } from './forecast.ts'
import { JOIN_DEPARTMENT_SQL, presentRecordingSummary, RECORDING_COLUMNS_SQL, type RecordingRow } from './present.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { recordingMessages } from './messages.ts'

/**
 * Registers a call and queues its transcription.
 * @throws HttpError 400 for a forbidden callbackUrl, 404 for a missing file or one with a planned removal
 * @throws HttpError 409 for a known call or a file that still grows, 503 for an upload whose file was removed
 */
export async function createRecording(
  core: Core,
  actor: Actor,
  audio: StoredAudio,
  input: CallFields,
  source: CallSource,
): Promise<RecordingJson> {
  await rejectForbiddenCallback(core, input.callbackUrl)
  const { managerName } = input
  const fields = managerName === undefined ? input : { ...input, managerName: normalizeWhitespace(managerName) }
  let row: RecordingRow
  try {
    row = await runInTransaction(core.db, async (sql) => {
      if (audio.sha256) await lockAudioHash(sql, audio.sha256)
      const inserted = await insertRecording(core, sql, actor, audio, fields, source)
      await confirmStoredAudio(core, sql, audio)
      await recordAuditChange(sql, actor, createAuditEntry(inserted.id, audio, fields, source))
      return inserted
    })
  } catch (error) {
    if (!findViolatedUniqueIndex(error)?.startsWith('recordings_')) throw error
    throw recordingAlreadyRegisteredError(
      await findRegisteredRecording(core, actor, audio.storageKey, fields.externalCallId),
    )
  }
  core.notify('transcription')
  await addRecordingForecasts(core, [row])
  row.position ??= 1 // The position is null if a worker has already claimed the call.
  return presentRecordingSummary(row)
}

/**
 * Resolves the host name of a callback URL. The schema has checked its syntax.
 * @throws HttpError 400 if an address of the host is forbidden
 */
async function rejectForbiddenCallback({ config }: Core, callbackUrl: string | undefined): Promise<void> {
  const violation =
    callbackUrl && (await findResolvedLinkViolation(callbackUrl, config.ALLOW_PRIVATE_NETWORK_DOWNLOADS))
  if (violation) throw badRequestError([violation.withField('callbackUrl')])
}

/** Creates an audit entry without callbackUrl, which can contain a secret. */
function createAuditEntry(
  id: string,
  { fileName }: StoredAudio,
  fields: CallFields,
  source: CallSource,
): AuditEntry<'recording.create'> {
  const after = { source, ...fields, callbackUrl: undefined }
  return { action: 'recording.create', object: { type: 'recording', id, name: fileName }, details: { after } }
}

/** Inserts a recording. Returns the row as inserted, before a worker can claim it. */
async function insertRecording(
  core: Core,
  sql: Sql,
  actor: Actor,
  audio: StoredAudio,
  fields: CallFields,
  source: CallSource,
): Promise<RecordingRow> {
  const p = new SqlParameters()
  const startedAt = fields.callStartedAt && parseIsoTime(fields.callStartedAt, core.config.APP_TIMEZONE)
  const columns = {
    id: generateId(),
    source,
    external_call_id: fields.externalCallId,
    phone_number: fields.phoneNumber,
    manager_name: fields.managerName,
    direction: fields.direction,
    call_started_at: startedAt,
    priority: fields.priority ?? 0,
    decoder: fields.decoder,
    callback_url: fields.callbackUrl,
    file_name: audio.fileName,
    storage_key: audio.storageKey,
    size_bytes: audio.sizeBytes,
    audio_sha256: audio.sha256,
  }
  const values = Object.values(columns).map((value) => p.add(value))
  const duplicateSql = selectDuplicateRecordingSql(p, visibleRecordingsCondition(actor))
  const { rows } = await sql.query<RecordingRow>({
    text: `WITH r AS (INSERT INTO recordings (${Object.keys(columns).join(', ')}) VALUES (${values.join(', ')}) RETURNING *)
           SELECT ${RECORDING_COLUMNS_SQL}, ${duplicateSql} FROM r ${JOIN_DEPARTMENT_SQL}`,
    values: p.values,
  })
  return rows[0]!
}

/** Creates a 409 error. If the caller can see the recording, the error includes its address. */
export const recordingAlreadyRegisteredError = (found?: RegisteredRecording): HttpError =>
  conflictError(recordingMessages.registered(), found?.visible ? `/v1/recordings/${found.id}` : undefined)

interface RegisteredRecording {
  id: string
  visible: boolean
}

/** Finds a recording of the same file or with the same externalCallId. `visible`: whether the actor can see this recording. */
export async function findRegisteredRecording(
  core: Core,
  actor: Actor,
  storageKey?: string,
  externalCallId?: string,
): Promise<RegisteredRecording | undefined> {
  const p = new SqlParameters()
  const { rows } = await core.pool.query<RegisteredRecording>({
    text: `SELECT r.id, (${p.and(visibleRecordingsCondition(actor))}) IS TRUE AS visible FROM recordings r
            WHERE r.external_call_id = ${p.add(externalCallId)} OR r.storage_key = ${p.add(storageKey)} LIMIT 1`,
    values: p.values,
  })
  return rows[0]
}

/**
 * Rejects a known call early to avoid needless work. The unique indexes are the final check.
 * @throws HttpError 409 if the file or the externalCallId is registered
 */
export async function rejectRegisteredRecording(
  core: Core,
  actor: Actor,
  storageKey?: string,
  externalCallId?: string,
): Promise<void> {
  if (storageKey === undefined && externalCallId === undefined) return
  const found = await findRegisteredRecording(core, actor, storageKey, externalCallId)
  if (found) throw recordingAlreadyRegisteredError(found)
}
