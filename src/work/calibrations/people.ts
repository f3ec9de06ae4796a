import { sharesVisibleCallsCondition, VISIBLE_MANAGER_IDS_SQL } from '../../people/managers/visibility.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor, Role } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { CAN_REVIEW_SQL } from '../notifications/causes.ts'

interface CalibrationPerson {
  id: string
  name: string
  role: Role
}

/** Lists the people who can decide verdicts and see calls that the actor sees, by name. */
export async function listCalibrationPeople(
  { pool }: Core,
  { person }: PersonActor,
): Promise<{ items: CalibrationPerson[] }> {
  const p = new SqlParameters()
  const { rows } = await pool.query<CalibrationPerson>({
    text: `SELECT p.id, p.name, p.role FROM people p
            WHERE p.active AND ${CAN_REVIEW_SQL} AND ${p.and(sharesVisibleCallsCondition(person))} ORDER BY lower(p.name), p.id`,
    values: p.values,
  })
  return { items: rows }
}

/**
 * Returns conditions on recordings r for those that all these people see.
 * @returns undefined if one of them is unknown, inactive or cannot decide verdicts
 */
export async function findCommonCallsCondition(sql: Sql, personIds: string[]): Promise<SqlConditions | undefined> {
  const { rows } = await sql.query<{ managers: string[] | null }>({
    text: `SELECT CASE WHEN p.role = 'head' THEN ${VISIBLE_MANAGER_IDS_SQL} END AS managers FROM people p
            WHERE p.id = ANY($1::uuid[]) AND p.active AND ${CAN_REVIEW_SQL}`,
    values: [personIds],
  })
  if (rows.length !== personIds.length) return undefined
  return toConditions(
    ...rows.map(({ managers }): [string, unknown] => ['r.manager_id = ANY(?::uuid[])', managers ?? undefined]),
  )
}
