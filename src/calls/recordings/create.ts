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
import { JOIN_DEPARTMENT, presentListed, RECORDING_COLUMNS, type RecordingRow } from './present.ts'
import type { CallFields, RecordingJson } from './schema.ts'
import { recordingMessages } from './messages.ts'

/**
 * Registers a call and queues it.
 * @throws HttpError 400 for a forbidden callbackUrl, 404 for a file due for removal, 409 for a known call, 503 for a lost file
 */
export async function createRecording(
  core: Core,
  actor: Actor,
  audio: StoredAudio,
  given: CallFields,
  source: Source,
): Promise<RecordingJson> {
  await refuseForbiddenCallback(core, given.callbackUrl)
  const { managerName } = given
  const fields = managerName === undefined ? given : { ...given, managerName: cleanName(managerName) }
  let row: RecordingRow
  try {
    row = await transaction(core.db, async (sql) => {
      const inserted = await insertRecording(core, sql, audio, fields, source)
      await keepAudio(core, sql, audio)
      await recordChange(sql, actor, creation(inserted.id, audio, fields, source))
      return inserted
    })
  } catch (error) {
    if (!brokenUniqueIndex(error)?.startsWith('recordings_')) throw error
    throw alreadyThere(await findRegistered(core, actor, audio.storageKey, fields.externalCallId))
  }
  core.notify('transcription')
  await addForecast(core, [row])
  row.position ??= 1 // a worker has claimed it already
  return presentListed(row)
}

/** The schema checks the syntax of the link; this resolves its name. @throws HttpError 400 */
async function refuseForbiddenCallback({ config }: Core, callbackUrl: string | undefined): Promise<void> {
  const violation = callbackUrl && (await resolvedViolation(callbackUrl, config.ALLOW_PRIVATE_NETWORK_DOWNLOADS))
  if (violation) throw badRequest([violation.about('callbackUrl')])
}

/** Without the address of the callback, which can contain a secret. */
function creation(
  id: string,
  { fileName }: StoredAudio,
  fields: CallFields,
  source: Source,
): Entry<'recording.create'> {
  const after = { source, ...fields, callbackUrl: undefined }
  return { action: 'recording.create', object: { type: 'recording', id, name: fileName }, details: { after } }
}

/** Returns the row as it was inserted, before a worker can claim it. */
async function insertRecording(
  core: Core,
  sql: Sql,
  audio: StoredAudio,
  fields: CallFields,
  source: Source,
): Promise<RecordingRow> {
  const startedAt = fields.callStartedAt && parseTime(fields.callStartedAt, core.config.APP_TIMEZONE)
  const { rows } = await sql.query<RecordingRow>({
    text: `WITH r AS (
             INSERT INTO recordings (id, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                                     priority, decoder, callback_url, file_name, storage_key, size_bytes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING *)
           SELECT ${RECORDING_COLUMNS} FROM r ${JOIN_DEPARTMENT}`,
    values: [
      newId(),
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
  return rows[0]!
}

/** A 409, with the address of the recording for callers who see it. */
export const alreadyThere = (found?: Registered): HttpError =>
  conflict(recordingMessages.registered(), found?.visible ? `/v1/recordings/${found.id}` : undefined)

interface Registered {
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

/** Avoids needless work; the unique indexes are the final check. @throws HttpError 409 */
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
