import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordChange, type Entry } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { brokenUniqueIndex, transaction } from '../../platform/db/db.ts'
import { badRequest, conflict, HttpError } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import { resolvedViolation } from '../../platform/outbound/net-guard.ts'
import { parseTime } from '../../platform/lib/time.ts'
import { keepAudio, type StoredAudio } from './audio-files.ts'
import type { Source } from './entity.ts'
import { addForecast } from './forecast.ts'
import { presentRecording, SELECT_RECORDING_WITH_TRANSCRIPT, type RecordingWithTranscriptRow } from './present.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { recordingMessages } from './messages.ts'

/**
 * Registers a call and puts it into the queue.
 * @throws HttpError 400 for a callbackUrl that leads to a forbidden address, 409 for a call id or storage key that is
 *   already there, 404 for a file that is to be removed, 503 for an upload whose file is gone
 */
export async function createRecording(
  core: Core,
  actor: Actor,
  audio: StoredAudio,
  given: CallFields,
  source: Source,
): Promise<RecordingJson> {
  await refuseForbiddenCallback(core, given.callbackUrl)
  const id = newId()
  const { managerName } = given
  const fields = managerName === undefined ? given : { ...given, managerName: cleanName(managerName) }
  let row: RecordingWithTranscriptRow
  try {
    row = await transaction(core.db, async (sql) => {
      await insertRecording(core, sql, id, audio, fields, source)
      await keepAudio(core, sql, audio)
      await recordChange(sql, actor, creation(id, audio, fields, source))
      return created(sql, id)
    })
  } catch (error) {
    throw await asDuplicate(core, actor, error, audio, fields)
  }
  core.notify('transcription')
  await addForecast(core, [row])
  row.position ??= 1 // a worker has it already: it was the first
  return presentRecording(row)
}

/** As the answer shows it: read before anybody else can claim, cancel or delete what has just been created. */
async function created(sql: Sql, id: string): Promise<RecordingWithTranscriptRow> {
  const text = `${SELECT_RECORDING_WITH_TRANSCRIPT} WHERE r.id = $1`
  const { rows } = await sql.query<RecordingWithTranscriptRow>({ name: 'created-recording', text, values: [id] })
  return rows[0]!
}

/** The schema has judged how the link is written; this is where its name leads. @throws HttpError 400 */
async function refuseForbiddenCallback({ config }: Core, callbackUrl: string | undefined): Promise<void> {
  const violation = callbackUrl && (await resolvedViolation(callbackUrl, config.ALLOW_PRIVATE_NETWORK_DOWNLOADS))
  if (violation) throw badRequest([violation.about('callbackUrl')])
}

/** A callback's address is left out: it may hold a secret. */
function creation(
  id: string,
  { fileName }: StoredAudio,
  fields: CallFields,
  source: Source,
): Entry<'recording.create'> {
  const after = { source, ...fields, callbackUrl: undefined }
  return { action: 'recording.create', object: { type: 'recording', id, name: fileName }, details: { after } }
}

async function insertRecording(
  core: Core,
  sql: Sql,
  id: string,
  audio: StoredAudio,
  fields: CallFields,
  source: Source,
): Promise<void> {
  const startedAt = fields.callStartedAt && parseTime(fields.callStartedAt, core.config.APP_TIMEZONE)
  await sql.query({
    name: 'insert-recording',
    text: `INSERT INTO recordings (id, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                                   priority, decoder, callback_url, file_name, storage_key, size_bytes)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    values: [
      id,
      source,
      fields.externalCallId,
      fields.phoneNumber,
      fields.managerName,
      fields.direction,
      startedAt,
      fields.priority ?? 0,
      fields.decoder,
      fields.callbackUrl,
      audio.fileName,
      audio.storageKey,
      audio.sizeBytes,
    ],
  })
}

/** A 409 that leads to the recording already there, where the error is a broken unique index; else the error. */
async function asDuplicate(
  core: Core,
  actor: Actor,
  error: unknown,
  audio: StoredAudio,
  fields: CallFields,
): Promise<unknown> {
  if (!brokenUniqueIndex(error)?.startsWith('recordings_')) return error
  return alreadyThere(await findRegistered(core, actor, audio.storageKey, fields.externalCallId))
}

/** Where it is, is told to those who may go there. */
export const alreadyThere = (found?: Registered): HttpError =>
  conflict(recordingMessages.registered(), found?.visible ? `/v1/recordings/${found.id}` : undefined)

export interface Registered {
  id: string
  visible: boolean
}

export async function findRegistered(
  core: Core,
  actor: Actor,
  storageKey?: string,
  externalCallId?: string,
): Promise<Registered | undefined> {
  const p = new Parameters()
  const { rows } = await core.pool.query<Registered>({
    text: `SELECT r.id, (${p.and(visibleTo(actor))}) IS TRUE AS visible FROM recordings r
            WHERE r.external_call_id = ${p.add(externalCallId)} OR r.storage_key = ${p.add(storageKey)} LIMIT 1`,
    values: p.values,
  })
  return rows[0]
}

/**
 * Saves the work for what is registered already; the unique indexes decide in the end.
 * @throws HttpError 409
 */
export async function refuseRegistered(
  core: Core,
  actor: Actor,
  storageKey?: string,
  externalCallId?: string,
): Promise<void> {
  if (storageKey === undefined && externalCallId === undefined) return
  const found = await findRegistered(core, actor, storageKey, externalCallId)
  if (found) throw alreadyThere(found)
}
