import type { Sql } from '../../platform/db/sql.ts'
import { SYSTEM_ACTOR, type Actor } from '../../platform/http/actor.ts'
import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { CallsCore } from '../core.ts'
import { findViolatedUniqueIndex, retryDeadlocks, runInTransaction } from '../../platform/db/db.ts'
import { notFoundError } from '../../platform/errors.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { parseIsoTime } from '../../platform/lib/time.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { RecordingCorrection } from './correction-schema.ts'
import { rejectInvisibleManager } from './call-manager.ts'
import { presentRecording } from './present.ts'
import type { RecordingJson } from './schema.ts'
import { recordingAlreadyRegisteredError, findRegisteredRecording } from './create.ts'
import { loadVisibleRecording } from './service.ts'
import { recordingMessages } from './messages.ts'

const CORRECTABLE_COLUMNS = {
  externalCallId: 'external_call_id',
  phoneNumber: 'phone_number',
  managerName: 'manager_name',
  direction: 'direction',
  callStartedAt: 'call_started_at',
} as const

type StoredFields = Record<keyof typeof CORRECTABLE_COLUMNS, string | null>

/**
 * Corrects the fields of a call and records the change in the audit log.
 * @throws HttpError 404 if the actor cannot see the call, 409 if another call has the externalCallId
 * @throws HttpError 400 for a manager whose calls the actor cannot see
 */
export async function correctRecording(
  core: CallsCore,
  actor: Actor,
  id: string,
  correction: RecordingCorrection,
): Promise<RecordingJson> {
  const newFields = normalizeCorrection(core, correction)
  let queues: string[] = []
  try {
    // A deadlock is possible, because the step that links calls to deals locks many calls in another order.
    queues = await retryDeadlocks(() =>
      runInTransaction(core.db, (sql) => applyCorrection(core, sql, actor, id, newFields)),
    )
  } catch (error) {
    if (findViolatedUniqueIndex(error) !== 'recordings_external_call_id') throw error
    throw recordingAlreadyRegisteredError(
      await findRegisteredRecording(core, actor, undefined, newFields.externalCallId!),
    )
  }
  for (const queue of queues) core.notify(queue)
  return presentRecording(await loadVisibleRecording(core, actor, id))
}

/**
 * Applies a correction and records it in the audit log.
 * @returns names of the queues to notify
 */
async function applyCorrection(
  core: CallsCore,
  sql: Sql,
  actor: Actor,
  id: string,
  newFields: Partial<StoredFields>,
): Promise<string[]> {
  for (const listener of core.callListeners) await listener.lockForCorrection?.(sql, id, newFields)
  const { name, fields: before } = await loadFields(sql, actor, id, 'FOR UPDATE')
  const { after: changes } = diffProperties(before, newFields)
  if (Object.keys(changes).length === 0) return []
  if ('managerName' in changes) await rejectInvisibleManager(core, actor, newFields.managerName!)
  const queues = await writeCorrection(core, sql, actor, { id, before, changes })
  const details = diffProperties(before, (await loadFields(sql, SYSTEM_ACTOR, id)).fields)
  if (Object.keys(details.after).length === 0) return queues
  const object = { type: 'recording', id: id.toLowerCase(), name } as const
  await recordAuditChange(sql, actor, { action: 'recording.correct', object, details })
  return queues
}

/** Converts the fields to the form in which they are stored. */
function normalizeCorrection(core: CallsCore, correction: RecordingCorrection): Partial<StoredFields> {
  const { managerName, callStartedAt } = correction
  return {
    ...correction,
    ...(managerName && { managerName: normalizeWhitespace(managerName) }),
    ...(callStartedAt && { callStartedAt: parseIsoTime(callStartedAt, core.config.APP_TIMEZONE)!.toISOString() }),
  }
}

interface StoredCall {
  /** Name of the audio file. */
  name: string | null
  fields: StoredFields
}

/**
 * Loads the correctable fields of a call and the name of its file.
 * @throws HttpError 404 if the actor cannot see the call
 */
async function loadFields(sql: Sql, actor: Actor, id: string, lock = ''): Promise<StoredCall> {
  const p = new SqlParameters()
  const columns = Object.entries(CORRECTABLE_COLUMNS).map(([field, column]) => `r.${column} AS "${field}"`)
  const { rows } = await sql.query<
    Omit<StoredFields, 'callStartedAt'> & { callStartedAt: Date | null; name: string | null }
  >({
    text: `SELECT ${columns.join(', ')}, r.file_name AS name FROM recordings r
            WHERE ${p.and(visibleRecordingByIdCondition(actor, id))} ${lock}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  const { name, callStartedAt, ...fields } = rows[0]
  return { name, fields: { ...fields, callStartedAt: callStartedAt?.toISOString() ?? null } }
}

interface FieldChange {
  id: string
  before: StoredFields
  changes: Partial<StoredFields>
}

/**
 * Updates the fields and runs the listeners before and after.
 * @returns names of the queues to notify
 */
async function writeCorrection(
  { config, callListeners }: CallsCore,
  sql: Sql,
  actor: Actor,
  change: FieldChange,
): Promise<string[]> {
  const { id, changes } = change
  const finishers: (() => Promise<string[]>)[] = []
  for (const listener of callListeners) {
    const finishCorrection = await listener.watchCorrection?.(sql, config, id)
    if (finishCorrection) finishers.push(finishCorrection)
  }
  await updateFields(sql, id, changes)
  const queues: string[] = []
  for (const listener of callListeners)
    queues.push(...((await listener.callCorrected?.(sql, config, id, changes)) ?? []))
  await revertInvisibleManager(sql, actor, change)
  for (const finishCorrection of finishers) queues.push(...(await finishCorrection()))
  return queues
}

async function updateFields(sql: Sql, id: string, changes: Partial<StoredFields>): Promise<void> {
  const columns = Object.keys(changes).map(
    (field, n) => `${CORRECTABLE_COLUMNS[field as keyof StoredFields]} = $${n + 2}`,
  )
  const { managerName } = changes
  // If the name is cleared, the call can get the manager of its CRM user again.
  if (managerName !== undefined) columns.push(managerName === null ? MANAGER_NOT_CHOSEN_SQL : MANAGER_CHOSEN_SQL)
  const { rowCount } = await sql.query({
    text: `UPDATE recordings SET ${columns.join(', ')} WHERE id = $1`,
    values: [id, ...Object.values(changes)],
  })
  if (rowCount !== 1) throw notFoundError(recordingMessages.noRecording())
}

const MANAGER_CHOSEN_SQL = `submitted_manager_name = NULL, manager_by = 'person'`
const MANAGER_NOT_CHOSEN_SQL = 'submitted_manager_name = NULL, manager_by = NULL'

/**
 * Restores the manager if the correction made the call invisible to the person. Otherwise, a person could give a call away by
 * changing its externalCallId.
 */
async function revertInvisibleManager(sql: Sql, actor: Actor, { id, before, changes }: FieldChange): Promise<void> {
  if (changes.managerName !== undefined) return
  const p = new SqlParameters()
  const text = `SELECT FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`
  const { rowCount: isVisible } = await sql.query({ text, values: p.values })
  if (!isVisible) await updateFields(sql, id, { managerName: before.managerName })
}
