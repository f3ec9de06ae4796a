import { IS_CALL_MANAGER_SQL, PERSON_SEES_RECORDING_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor, Role } from '../../platform/http/actor.ts'
import { requireVisibleRecording } from '../../check/checks/queries.ts'

interface MentionablePerson {
  id: string
  name: string
  role: Role
  isCallManager: boolean
}

/** Lists the other people who see the call, by name. @throws HttpError 404 */
export async function listMentionablePeople(
  { pool }: Core,
  actor: PersonActor,
  recordingId: string,
): Promise<{ items: MentionablePerson[] }> {
  await requireVisibleRecording(pool, actor, recordingId)
  const { rows } = await pool.query<MentionablePerson>({
    text: `SELECT p.id, p.name, p.role, (${IS_CALL_MANAGER_SQL}) IS TRUE AS "isCallManager" FROM people p JOIN recordings r ON r.id = $1
            WHERE ${PERSON_SEES_RECORDING_SQL} AND p.id <> $2 ORDER BY lower(p.name), p.id`,
    values: [recordingId, actor.person.id],
  })
  return { items: rows }
}

/** Returns true if all these people see the call. */
export async function canAllSeeCall(sql: Sql, recordingId: string, personIds: string[]): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `SELECT FROM people p JOIN recordings r ON r.id = $1
            WHERE p.id = ANY($2::uuid[]) AND ${PERSON_SEES_RECORDING_SQL}`,
    values: [recordingId, personIds],
  })
  return rowCount === personIds.length
}
