import type { Sql } from '../../platform/db/sql.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { conflict, conflicts } from '../../platform/errors.ts'
import { managerKey, managerNamed, managersNamed } from '../managers/names.ts'
import { departmentMessages } from './messages.ts'

/**
 * One change of people or departments at a time. They are rare, and what must hold after each of them (an owner
 * remains, a name stands in one roster) concerns many rows.
 */
export async function lockPeople(sql: Sql): Promise<void> {
  await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCKS.people] })
}

/** So many names that are taken are told at once. */
const MOST_TOLD = 20

/**
 * Refuses names that stand in the roster of a department that is none of these; which one is told to owners alone.
 * @throws HttpError 409
 */
export async function refuseElsewhere(
  sql: Sql,
  names: string[],
  departmentIds: string[],
  toOwner: boolean,
): Promise<void> {
  const { rows } = await sql.query<{ name: string; department: string }>({
    text: `SELECT m.name, d.name AS department FROM department_managers m JOIN departments d ON d.id = m.department_id
            WHERE m.manager_id IN (${managersNamed('$1')}) AND m.department_id <> ALL ($2::uuid[])
            ORDER BY m.name LIMIT ${MOST_TOLD}`,
    values: [names, departmentIds],
  })
  if (!rows[0]) return
  if (!toOwner) throw conflict(departmentMessages.elsewhere())
  throw conflicts(rows.map(({ name, department }) => departmentMessages.inRoster({ name, department })))
}

/** Puts names into a roster; those that stand in it already stay as they are. */
export async function addToRoster(sql: Sql, departmentId: string, names: string[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO department_managers (name, department_id)
           SELECT DISTINCT ON (${managerKey('n')}) btrim(n), $2::uuid FROM unnest($1::text[]) WITH ORDINALITY AS given (n, ordinal)
            ORDER BY ${managerKey('n')}, ordinal
           ON CONFLICT (name_key) DO NOTHING`,
    values: [names, departmentId],
  })
}

/** Takes every name out of a roster but these, and those of the managers who belong to the department. */
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

/**
 * Takes the name of a manager who left out of a roster, unless another manager of the department has it or calls carry
 * it: those stay with the department in which they were made, until its roster is written anew.
 */
export async function leaveRoster(sql: Sql, departmentId: string, name: string): Promise<void> {
  await sql.query({
    text: `DELETE FROM department_managers m WHERE m.department_id = $1 AND m.manager_id IN (${managersNamed('$2')})
              AND m.manager_id NOT IN (${MEMBERS})
              AND NOT EXISTS (SELECT FROM recordings r WHERE r.manager_id = m.manager_id)`,
    values: [departmentId, [name]],
  })
}

/**
 * Moves a name from one roster to another, with the calls that carry it.
 * @throws HttpError 409 where another manager of that name stays behind
 */
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
