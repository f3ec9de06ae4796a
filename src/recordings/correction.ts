import { difference, recordChange } from '../audit/record.ts'
import type { Core } from '../core.ts'
import { brokenUniqueIndex, transaction, type Sql } from '../db.ts'
import { notFound } from '../errors.ts'
import type { Actor } from '../http/access.ts'
import { cleanName } from '../lib/names.ts'
import { parseTime } from '../lib/time.ts'
import { Parameters } from '../lib/where.ts'
import { visibleRecording } from '../managers/visibility.ts'
import type { Correction } from './correction-schema.ts'
import { refuseForeignManager } from './call-manager.ts'
import { presentRecording } from './present.ts'
import type { RecordingJson } from './schema.ts'
import { alreadyThere, findRegistered } from './create.ts'
import { findRow } from './service.ts'
import { recordingMessages } from './messages.ts'

/** Where each field stands. */
const COLUMNS = {
  externalCallId: 'external_call_id',
  phoneNumber: 'phone_number',
  managerName: 'manager_name',
  direction: 'direction',
  callStartedAt: 'call_started_at',
} as const

type Fields = Record<keyof typeof COLUMNS, string | null>

/**
 * Corrects what is known of a call; whoever sees it is told by its manager, from then on the new one.
 * @throws HttpError 404, 400 naming managerName, 409 for a call id that another recording has
 */
export async function correctRecording(
  core: Core,
  actor: Actor,
  id: string,
  given: Correction,
): Promise<RecordingJson> {
  const wanted = stored(core, given)
  try {
    await transaction(core.db, async (sql) => {
      const { name, ...before } = await lock(sql, actor, id)
      const change = difference(before, wanted)
      if (Object.keys(change.after).length === 0) return
      if ('managerName' in change.after) await refuseForeignManager(core, actor, wanted.managerName!)
      await write(sql, id, change.after)
      const object = { type: 'recording', id: id.toLowerCase(), name } as const
      await recordChange(sql, actor, { action: 'recording.correct', object, details: change })
    })
  } catch (error) {
    if (brokenUniqueIndex(error) !== 'recordings_external_call_id') throw error
    throw alreadyThere(await findRegistered(core, actor, undefined, wanted.externalCallId!))
  }
  return presentRecording(await findRow(core, actor, id))
}

/** The fields as they are kept, so that they can be compared. */
function stored(core: Core, given: Correction): Partial<Fields> {
  const { managerName, callStartedAt } = given
  return {
    ...given,
    ...(managerName && { managerName: cleanName(managerName) }),
    ...(callStartedAt && { callStartedAt: parseTime(callStartedAt, core.config.APP_TIMEZONE)!.toISOString() }),
  }
}

async function lock(sql: Sql, actor: Actor, id: string): Promise<Fields & { name: string | null }> {
  const p = new Parameters()
  const fields = Object.entries(COLUMNS).map(([field, column]) => `r.${column} AS "${field}"`)
  const { rows } = await sql.query<Omit<Fields, 'callStartedAt'> & { callStartedAt: Date | null; name: string | null }>(
    {
      text: `SELECT ${fields.join(', ')}, r.file_name AS name FROM recordings r
            WHERE ${p.and(visibleRecording(actor, id))} FOR UPDATE`,
      values: p.values,
    },
  )
  if (!rows[0]) throw notFound(recordingMessages.noRecording())
  return { ...rows[0], callStartedAt: rows[0].callStartedAt?.toISOString() ?? null }
}

async function write(sql: Sql, id: string, changes: object): Promise<void> {
  const columns = Object.keys(changes).map((field, n) => `${COLUMNS[field as keyof Fields]} = $${n + 2}`)
  const { rowCount } = await sql.query({
    text: `UPDATE recordings SET ${columns.join(', ')} WHERE id = $1`,
    values: [id, ...Object.values(changes)],
  })
  if (rowCount !== 1) throw notFound(recordingMessages.noRecording())
}
