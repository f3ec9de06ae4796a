import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import {
  addNamesToRoster,
  removeUnusedNameFromRoster,
  moveNameBetweenRosters,
  rejectNamesInOtherRosters,
} from '../departments/roster.ts'
import { conflictError } from '../../platform/errors.ts'
import { managerNameKeySql, managerIdByNameSql } from '../managers/name-sql.ts'
import type { Person } from './entity.ts'
import { peopleMessages } from './messages.ts'
import type { PersonRow } from './present.ts'

type DepartmentAssignment = Pick<Person, 'id' | 'name' | 'role'> & { departmentIds: string[] }

/**
 * Puts a person into departments and updates the rosters if the person is or was a manager.
 * @throws HttpError 409 for a name in another roster, a namesake in the department, or a name that a head cannot use
 */
export async function assignPersonDepartments(
  sql: Sql,
  { actor, me }: { actor: Actor; me: PersonRow },
  before: PersonRow | undefined,
  after: DepartmentAssignment,
): Promise<void> {
  const from = before?.role === 'manager' ? before.departments[0]?.id : undefined
  const to = after.role === 'manager' ? after.departmentIds[0] : undefined
  const isRenamed = before?.name !== after.name
  const rosters = await loadRosters(sql, [from, to])
  await updatePersonDepartments(sql, after)
  if (me.role === 'head' && isRenamed) await rejectForeignName(sql, me, before, after)
  if (to && (isRenamed || from !== to)) await rejectNamesake(sql, to, after)
  await moveRosterEntry(sql, before, after, from, to)
  if (isRenamed || (to && from !== to)) {
    await rejectNamesInOtherRosters(sql, [after.name], after.departmentIds, me.role === 'owner')
  }
  if (to) await addNamesToRoster(sql, to, [after.name])
  await recordRosterChanges(sql, actor, rosters, await loadRosters(sql, [from, to]))
}

async function updatePersonDepartments(sql: Sql, { id, departmentIds }: DepartmentAssignment): Promise<void> {
  await sql.query({
    text: 'DELETE FROM person_departments WHERE person_id = $1 AND department_id <> ALL ($2::uuid[])',
    values: [id, departmentIds],
  })
  await sql.query({
    text: `INSERT INTO person_departments (person_id, department_id) SELECT $1, d FROM unnest($2::uuid[]) d
           ON CONFLICT DO NOTHING`,
    values: [id, departmentIds],
  })
}

/** Moves the name of a manager to the new roster, or removes an unused old name from the old roster. */
async function moveRosterEntry(
  sql: Sql,
  before: PersonRow | undefined,
  { name }: DepartmentAssignment,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  if (!before || !from) return
  if (from !== to && to && before.name === name) await moveNameBetweenRosters(sql, name, from, to)
  else if (from !== to || before.name !== name) await removeUnusedNameFromRoster(sql, from, before.name)
}

/** Throws HttpError 409 if a head chooses a name with calls or people outside the head's rosters. */
async function rejectForeignName(
  sql: Sql,
  me: PersonRow,
  before: PersonRow | undefined,
  { id, name }: DepartmentAssignment,
) {
  const { rows } = await sql.query<{ foreign: boolean }>({
    text: `SELECT n.key IS DISTINCT FROM ${managerNameKeySql('$2')}
              AND NOT EXISTS (SELECT FROM department_managers m
                               WHERE m.manager_id = n.manager_id AND m.department_id = ANY ($3::uuid[]))
              AND (EXISTS (SELECT FROM department_managers m WHERE m.manager_id = n.manager_id)
                   OR EXISTS (SELECT FROM recordings r WHERE r.manager_id = n.manager_id)
                   OR EXISTS (SELECT FROM people p WHERE ${managerNameKeySql('p.name')} = n.key AND p.id <> $4)) AS foreign
             FROM (SELECT ${managerNameKeySql('$1')} AS key, ${managerIdByNameSql('$1')} AS manager_id) n`,
    values: [name, before?.name, me.departments.map((one) => one.id), id],
  })
  if (!rows[0]!.foreign) return
  await rejectNamesInOtherRosters(sql, [name], me.departments.map((one) => one.id), false) // prettier-ignore
  throw conflictError(peopleMessages.foreignName())
}

/** Throws HttpError 409 for two managers with one name in a department, because they see each other's calls. */
async function rejectNamesake(sql: Sql, departmentId: string, { id, name }: DepartmentAssignment): Promise<void> {
  const { rowCount } = await sql.query({
    text: `SELECT FROM people p JOIN person_departments b ON b.person_id = p.id
            WHERE b.department_id = $1 AND p.role = 'manager' AND p.id <> $2 AND ${managerNameKeySql('p.name')} = ${managerNameKeySql('$3')}
            LIMIT 1`,
    values: [departmentId, id, name],
  })
  if (rowCount) throw conflictError(peopleMessages.namesake())
}

interface Roster {
  id: string
  name: string
  managers: string[]
}

async function loadRosters(sql: Sql, departmentIds: (string | undefined)[]): Promise<Roster[]> {
  const { rows } = await sql.query<Roster>({
    text: `SELECT d.id, d.name,
                  ARRAY(SELECT m.name FROM department_managers m WHERE m.department_id = d.id ORDER BY m.name_key) AS managers
             FROM departments d WHERE d.id = ANY ($1::uuid[])`,
    values: [departmentIds.filter(Boolean)],
  })
  return rows
}

/** Records the removed (before) and added (after) names in the audit log of each department. */
async function recordRosterChanges(sql: Sql, actor: Actor, before: Roster[], after: Roster[]): Promise<void> {
  for (const { id, name, managers } of after) {
    const namesBefore = before.find((roster) => roster.id === id)?.managers ?? []
    const removedNames = namesBefore.filter((one) => !managers.includes(one))
    const addedNames = managers.filter((one) => !namesBefore.includes(one))
    const details = diffProperties({ managers: removedNames }, { managers: addedNames })
    if (removedNames.length + addedNames.length === 0) continue
    await recordAuditChange(sql, actor, {
      action: 'department.change',
      object: { type: 'department', id, name },
      details,
    })
  }
}
