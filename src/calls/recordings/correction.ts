import type { Sql } from '../../platform/db/sql.ts'
import { SYSTEM, type Actor } from '../../platform/http/actor.ts'
import { difference, recordChange } from '../../platform/audit/record.ts'
import type { CallsCore } from '../core.ts'
import { brokenUniqueIndex, retryDeadlocks, transaction } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { parseTime } from '../../platform/lib/time.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { visibleRecording } from '../../people/managers/visibility.ts'
import type { Correction } from './correction-schema.ts'
import { refuseForeignManager } from './call-manager.ts'
import { presentRecording } from './present.ts'
import type { RecordingJson } from './schema.ts'
import { alreadyThere, findRegistered } from './create.ts'
import { findRow } from './service.ts'
import { recordingMessages } from './messages.ts'

const COLUMNS = {
  externalCallId: 'external_call_id',
  phoneNumber: 'phone_number',
  managerName: 'manager_name',
  direction: 'direction',
  callStartedAt: 'call_started_at',
} as const

type Fields = Record<keyof typeof COLUMNS, string | null>

/**
 * Corrects the metadata of a call. The listeners update the portal's call, the manager (and with it the visibility), the check,
 * and the deals unless a person chose them.
 * @throws HttpError 404, 400 naming managerName, 409 for another recording's call id
 */
export async function correctRecording(
  core: CallsCore,
  actor: Actor,
  id: string,
  given: Correction,
): Promise<RecordingJson> {
  const wanted = stored(core, given)
  let queues: string[] = []
  try {
    // The step that matches calls locks many of them in another order.
    queues = await retryDeadlocks(() => transaction(core.db, (sql) => correct(core, sql, actor, id, wanted)))
  } catch (error) {
    if (brokenUniqueIndex(error) !== 'recordings_external_call_id') throw error
    throw alreadyThere(await findRegistered(core, actor, undefined, wanted.externalCallId!))
  }
  for (const queue of queues) core.notify(queue)
  return presentRecording(await findRow(core, actor, id))
}

/** @returns the queues to notify */
async function correct(
  core: CallsCore,
  sql: Sql,
  actor: Actor,
  id: string,
  wanted: Partial<Fields>,
): Promise<string[]> {
  for (const listener of core.callListeners) await listener.lockForCorrection?.(sql, id, wanted)
  const { name, fields: before } = await readFields(sql, actor, id, 'FOR UPDATE')
  const { after: changes } = difference(before, wanted)
  if (Object.keys(changes).length === 0) return []
  if ('managerName' in changes) await refuseForeignManager(core, actor, wanted.managerName!)
  const queues = await write(core, sql, actor, { id, before, changes })
  const details = difference(before, (await readFields(sql, SYSTEM, id)).fields)
  if (Object.keys(details.after).length === 0) return queues
  const object = { type: 'recording', id: id.toLowerCase(), name } as const
  await recordChange(sql, actor, { action: 'recording.correct', object, details })
  return queues
}

/** The fields as they are stored. */
function stored(core: CallsCore, given: Correction): Partial<Fields> {
  const { managerName, callStartedAt } = given
  return {
    ...given,
    ...(managerName && { managerName: cleanName(managerName) }),
    ...(callStartedAt && { callStartedAt: parseTime(callStartedAt, core.config.APP_TIMEZONE)!.toISOString() }),
  }
}

interface Known {
  /** The file's name. */
  name: string | null
  fields: Fields
}

/** @throws HttpError 404 */
async function readFields(sql: Sql, actor: Actor, id: string, lock = ''): Promise<Known> {
  const p = new Parameters()
  const columns = Object.entries(COLUMNS).map(([field, column]) => `r.${column} AS "${field}"`)
  const { rows } = await sql.query<Omit<Fields, 'callStartedAt'> & { callStartedAt: Date | null; name: string | null }>(
    {
      text: `SELECT ${columns.join(', ')}, r.file_name AS name FROM recordings r
            WHERE ${p.and(visibleRecording(actor, id))} ${lock}`,
      values: p.values,
    },
  )
  if (!rows[0]) throw notFound(recordingMessages.noRecording())
  const { name, callStartedAt, ...fields } = rows[0]
  return { name, fields: { ...fields, callStartedAt: callStartedAt?.toISOString() ?? null } }
}

interface Change {
  id: string
  before: Fields
  changes: Partial<Fields>
}

/** @returns the queues to notify */
async function write({ config, callListeners }: CallsCore, sql: Sql, actor: Actor, change: Change): Promise<string[]> {
  const { id, changes } = change
  const finish: (() => Promise<string[]>)[] = []
  for (const listener of callListeners) {
    const finished = await listener.watchCorrection?.(sql, config, id)
    if (finished) finish.push(finished)
  }
  await writeFields(sql, id, changes)
  const queues: string[] = []
  for (const listener of callListeners)
    queues.push(...((await listener.callCorrected?.(sql, config, id, changes)) ?? []))
  await keepVisible(sql, actor, change)
  for (const finished of finish) queues.push(...(await finished()))
  return queues
}

async function writeFields(sql: Sql, id: string, changes: Partial<Fields>): Promise<void> {
  const columns = Object.keys(changes).map((field, n) => `${COLUMNS[field as keyof Fields]} = $${n + 2}`)
  const { managerName } = changes
  // With a cleared name, the manager is again that of the call's CRM user.
  if (managerName !== undefined) columns.push(managerName === null ? NOT_CHOSEN : CHOSEN)
  const { rowCount } = await sql.query({
    text: `UPDATE recordings SET ${columns.join(', ')} WHERE id = $1`,
    values: [id, ...Object.values(changes)],
  })
  if (rowCount !== 1) throw notFound(recordingMessages.noRecording())
}

const CHOSEN = `submitted_manager_name = NULL, manager_by = 'person'`
const NOT_CHOSEN = 'submitted_manager_name = NULL, manager_by = NULL'

/**
 * A corrected call id can change the manager. If the corrector does not see that manager's calls, the call keeps its manager.
 * So nobody can give a call away by its id.
 */
async function keepVisible(sql: Sql, actor: Actor, { id, before, changes }: Change): Promise<void> {
  if (changes.managerName !== undefined) return
  const p = new Parameters()
  const text = `SELECT FROM recordings r WHERE ${p.and(visibleRecording(actor, id))}`
  const { rowCount: isSeen } = await sql.query({ text, values: p.values })
  if (!isSeen) await writeFields(sql, id, { managerName: before.managerName })
}
