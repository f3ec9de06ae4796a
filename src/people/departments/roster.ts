import type { Sql } from '../../platform/db/sql.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import { conflictError } from '../../platform/errors.ts'
import { managerNameKeySql, managerIdByNameSql, managerIdsByNamesSql } from '../managers/name-sql.ts'
import { departmentMessages } from './messages.ts'

/**
 * Serializes changes of people and departments until the transaction ends, because rules such as "an owner remains" span many
 * rows.
 */
export async function acquirePeopleLock(sql: Sql): Promise<void> {
  await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK_KEYS.people] })
}

/**
 * Throws HttpError 409 if the roster of a department outside `departmentIds` has one of the names. Only owners see the name of
 * that department.
 */
export async function rejectNamesInOtherRosters(
  sql: Sql,
  names: string[],
  departmentIds: string[],
  isOwner: boolean,
): Promise<void> {
  const { rows } = await sql.query<{ name: string; department: string }>({
    text: `SELECT m.name, d.name AS department FROM department_managers m JOIN departments d ON d.id = m.department_id
            WHERE m.manager_id IN (${managerIdsByNamesSql('$1')}) AND m.department_id <> ALL ($2::uuid[])
            ORDER BY m.name LIMIT 1`,
    values: [names, departmentIds],
  })
  if (rows[0]) throw conflictError(isOwner ? departmentMessages.inRoster(rows[0]) : departmentMessages.elsewhere())
}

/** Adds names to the roster of a department. A name that is already in any roster stays unchanged. */
export async function addNamesToRoster(sql: Sql, departmentId: string, names: string[]): Promise<void> {
  await sql.query({
    text: `INSERT INTO department_managers (name, department_id)
           SELECT DISTINCT ON (${managerNameKeySql('n')}) btrim(n), $2::uuid FROM unnest($1::text[]) WITH ORDINALITY AS given (n, ordinal)
            ORDER BY ${managerNameKeySql('n')}, ordinal
           ON CONFLICT (name_key) DO NOTHING`,
    values: [names, departmentId],
  })
}

/** Removes all names from the roster except the given ones and those of people with the role manager in the department. */
export async function removeOtherNamesFromRoster(sql: Sql, departmentId: string, names: string[]): Promise<void> {
  await sql.query({
    text: `DELETE FROM department_managers WHERE department_id = $1
              AND manager_id NOT IN (${managerIdsByNamesSql('$2')}) AND manager_id NOT IN (${MEMBER_MANAGERS_SQL})`,
    values: [departmentId, names],
  })
}

/** Selects the manager ids of people with the role manager in the department $1. */
const MEMBER_MANAGERS_SQL = `
  SELECT m.id FROM people p JOIN person_departments b ON b.person_id = p.id
    JOIN managers m ON m.id = ${managerIdByNameSql('p.name')}
   WHERE b.department_id = $1 AND p.role = 'manager'`

/** Removes the name of a departed manager from a roster. Keeps it if a manager of the department has it or a call carries it. */
export async function removeUnusedNameFromRoster(sql: Sql, departmentId: string, name: string): Promise<void> {
  await sql.query({
    text: `DELETE FROM department_managers m WHERE m.department_id = $1 AND m.manager_id IN (${managerIdsByNamesSql('$2')})
              AND m.manager_id NOT IN (${MEMBER_MANAGERS_SQL})
              AND NOT EXISTS (SELECT FROM recordings r WHERE r.manager_id = m.manager_id)`,
    values: [departmentId, [name]],
  })
}

/**
 * Moves a name, and with it the access to its calls, to another roster.
 * @throws HttpError 409 if another manager with that name remains in the old department
 */
export async function moveNameBetweenRosters(sql: Sql, name: string, from: string, to: string): Promise<void> {
  const { rowCount } = await sql.query({
    text: `SELECT FROM (${MEMBER_MANAGERS_SQL}) AS members (manager_id) WHERE manager_id IN (${managerIdsByNamesSql('$2')})`,
    values: [from, [name]],
  })
  if (rowCount) throw conflictError(departmentMessages.namesakeStays({ name }))
  await sql.query({
    text: `UPDATE department_managers SET department_id = $2 WHERE department_id = $1 AND manager_id IN (${managerIdsByNamesSql('$3')})`,
    values: [from, to, [name]],
  })
}
