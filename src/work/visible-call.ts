import { recordingMessages } from '../calls/recordings/messages.ts'
import { visibleRecordingByIdCondition } from '../people/managers/visibility.ts'
import type { Sql } from '../platform/db/sql.ts'
import { badRequestError, notFoundError } from '../platform/errors.ts'
import type { Actor } from '../platform/http/actor.ts'
import { isUuid } from '../platform/lib/ids.ts'
import { SqlParameters } from '../platform/lib/sql-conditions.ts'
import { workMessages } from './messages.ts'

interface VisibleCall {
  id: string
  durationSeconds: number | null
}

/** Finds a call that the actor sees, and prevents its deletion during the transaction. @throws HttpError 404 */
export async function lockVisibleCall(sql: Sql, actor: Actor, id: string): Promise<VisibleCall> {
  const p = new SqlParameters()
  if (!isUuid(id)) throw notFoundError(recordingMessages.noRecording())
  const { rows } = await sql.query<VisibleCall>({
    text: `SELECT r.id, r.duration_seconds AS "durationSeconds" FROM recordings r
            WHERE ${p.and(visibleRecordingByIdCondition(actor, id))} FOR KEY SHARE`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}

/** Requires that a moment is within the call. @throws HttpError 400 */
export function requireMomentInCall({ durationSeconds }: VisibleCall, at: number | undefined): void {
  if (at !== undefined && durationSeconds !== null && at > durationSeconds)
    throw badRequestError([workMessages.afterEnd().withField('at')])
}
