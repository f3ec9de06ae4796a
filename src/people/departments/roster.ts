import type { Sql } from '../../platform/db/sql.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { conflict } from '../../platform/errors.ts'
import { managerKey, managerNamed, managersNamed } from '../managers/names.ts'
import { departmentMessages } from './messages.ts'

/** Allows one change of people or departments at a time: rules such as «an owner remains» concern many rows. */
export async function lockPeople(sql: Sql): Promise<void> {
  await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCKS.people] })
}

/** Rejects names of another department's roster; only owners learn its name. @throws HttpError 409 */
export async function refuseElsewhere(
  sql: Sql,
  names: string[],
  departmentIds: string[],
  toOwner: boolean,
): Promise<void> {
  const { rows } = await sql.query<{ name: string; department: string }>({
    text: `SELECT m.name, d.name AS department FROM department_managers m JOIN departments d ON d.id = m.department_id
            WHERE m.manager_id IN (${managersNamed('$1')}) AND m.department_id <> ALL ($2::uuid[])
            ORDER BY m.name LIMIT 1`,
    values: [names, departmentIds],
  })
  if (rows[0]) throw conflict(toOwner ? departmentMessages.inRoster(rows[0]) : departmentMessages.elsewhere())
}

/** Adds names to a roster; existing ones stay unchanged. */
export async function addToRoster(sql: Sql, departmentId: string, names: string[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO department_managers (name, department_id)
           SELECT DISTINCT ON (${managerKey('n')}) btrim(n), $2::uuid FROM unnest($1::text[]) WITH ORDINALITY AS given (n, ordinal)
            ORDER BY ${managerKey('n')}, ordinal
           ON CONFLICT (name_key) DO NOTHING`,
    values: [names, departmentId],
  })
}

/** Removes all names from a roster except these and those of the department's managers. */
export async function keepInRoster(sql: Sql, departmentId: string, names: string[]): Promise<void> {
  await sql.query({
    text: `DELETE FROM department_managers WHERE department_id = $1
              AND manager_id NOT IN (${managersNamed('$2')}) AND manager_id NOT IN (${MEMBERS})`,
    values: [departmentId, names],
  })
}

/** The managers among the people of the department $1. */
const MEMBERS = `
  SELECT m.id FROM people p JOIN person_departments b ON b.person_id = p.id
    JOIN managers m ON m.id = ${managerNamed('p.name')}
   WHERE b.department_id = $1 AND p.role = 'manager'`

/** Removes a departed manager's name from a roster, unless another manager has it or calls carry it. */
export async function leaveRoster(sql: Sql, departmentId: string, name: string): Promise<void> {
  await sql.query({
    text: `DELETE FROM department_managers m WHERE m.department_id = $1 AND m.manager_id IN (${managersNamed('$2')})
              AND m.manager_id NOT IN (${MEMBERS})
              AND NOT EXISTS (SELECT FROM recordings r WHERE r.manager_id = m.manager_id)`,
    values: [departmentId, [name]],
  })
}

/** Moves a name with its calls to another roster. @throws HttpError 409 if another manager of that name remains */
export async function moveBetweenRosters(sql: Sql, name: string, from: string, to: string): Promise<void> {
  const { rowCount } = await sql.query({
    text: `SELECT FROM (${MEMBERS}) AS members (manager_id) WHERE manager_id IN (${managersNamed('$2')})`,
    values: [from, [name]],
  })
  if (rowCount) throw conflict(departmentMessages.namesakeStays({ name }))
  await sql.query({
    text: `UPDATE department_managers SET department_id = $2 WHERE department_id = $1 AND manager_id IN (${managersNamed('$3')})`,
    values: [from, to, [name]],
  })
}
