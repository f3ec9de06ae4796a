import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { diffProperties, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { requireOwner } from '../people/acting-person.ts'
import type { PersonRow } from '../people/present.ts'
import { addNamesToRoster, removeOtherNamesFromRoster, acquirePeopleLock, rejectNamesInOtherRosters } from './roster.ts'
import type { DepartmentChanges, DepartmentJson, NewDepartment } from './schema.ts'
import { departmentMessages } from './messages.ts'

const DEPARTMENT_COLUMNS = `
  d.id, d.name, d.created_at AS "createdAt",
  ARRAY(SELECT m.name FROM department_managers m WHERE m.department_id = d.id ORDER BY m.name_key) AS managers,
  (SELECT count(*)::int FROM person_departments b WHERE b.department_id = d.id) AS people,
  ARRAY(SELECT b.person_id FROM person_departments b JOIN people p ON p.id = b.person_id
         WHERE b.department_id = d.id AND p.role = 'head' ORDER BY b.person_id) AS "headIds",
  array_to_json(d.funnels) AS funnels`

type DepartmentRow = Omit<DepartmentJson, 'createdAt'> & { createdAt: Date }

/** Restricts departments d to those of the person; owners see all. */
const visibleDepartmentsCondition = (me: PersonRow): SqlConditions =>
  toConditions(['d.id = ANY(?::uuid[])', me.role === 'owner' ? undefined : me.departments.map(({ id }) => id)])

/** Lists the departments that the person can see, by name. */
export function listDepartments({ pool }: Core, me: PersonRow, page: PageRequest) {
  const p = new SqlParameters()
  const visibleCondition = p.and(visibleDepartmentsCondition(me))
  const list = { from: `departments d WHERE ${visibleCondition}`, order: 'lower(d.name), d.id', values: p.values }
  return listPage<DepartmentRow>(pool, { select: DEPARTMENT_COLUMNS, ...list }, page)
}

/** Loads a department that the person can see. @throws HttpError 404 for an unknown or invisible department */
export const loadVisibleDepartment = ({ pool }: Core, me: PersonRow, id: string): Promise<DepartmentRow> =>
  loadDepartment(pool, id, visibleDepartmentsCondition(me))

async function loadDepartment(sql: Sql, id: string, visibleCondition: SqlConditions = []): Promise<DepartmentRow> {
  const p = new SqlParameters()
  const { rows } = await sql.query<DepartmentRow>({
    text: `SELECT ${DEPARTMENT_COLUMNS} FROM departments d WHERE d.id = ${p.add(id)} AND ${p.and(visibleCondition)}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(departmentMessages.noDepartment())
  return rows[0]
}

/**
 * Creates a department with its roster and funnels and writes an audit entry.
 * @throws HttpError 403 if the actor is no owner, 409 for a taken name or a manager of another roster
 */
export function createDepartment(
  { db }: Core,
  actor: Actor,
  { name, managers, funnels }: NewDepartment,
): Promise<DepartmentRow> {
  const id = generateId()
  return convertNameConflict(() =>
    runInTransaction(db, async (sql) => {
      await acquirePeopleLock(sql)
      await requireOwner(sql, actor)
      await sql.query({
        text: 'INSERT INTO departments (id, name) VALUES ($1, $2)',
        values: [id, normalizeWhitespace(name)],
      })
      if (managers) await updateRoster(sql, id, managers)
      if (funnels) await updateFunnels(sql, id, funnels)
      const created = await loadDepartment(sql, id)
      const details = { after: pickAuditFields(created) }
      await recordAuditChange(sql, actor, { action: 'department.create', object: auditObjectOf(created), details })
      return created
    }),
  )
}

/**
 * Changes the given fields of a department and writes an audit entry if anything changed.
 * @throws HttpError 403 if the actor is no owner, 404, 409 for a taken name or a manager of another roster
 */
export function changeDepartment(
  { db }: Core,
  actor: Actor,
  id: string,
  { name, managers, funnels }: DepartmentChanges,
): Promise<DepartmentRow> {
  return convertNameConflict(() =>
    runInTransaction(db, async (sql) => {
      await acquirePeopleLock(sql)
      await requireOwner(sql, actor)
      const before = await loadDepartment(sql, id)
      if (name !== undefined)
        await sql.query({
          text: 'UPDATE departments SET name = $2 WHERE id = $1',
          values: [id, normalizeWhitespace(name)],
        })
      if (managers) await updateRoster(sql, id, managers)
      if (funnels) await updateFunnels(sql, id, funnels)
      const after = await loadDepartment(sql, id)
      const details = diffProperties(pickAuditFields(before), pickAuditFields(after))
      if (Object.keys(details.after).length > 0) {
        await recordAuditChange(sql, actor, { action: 'department.change', object: auditObjectOf(after), details })
      }
      return after
    }),
  )
}

const auditObjectOf = ({ id, name }: DepartmentRow) => ({ type: 'department', id, name }) as const

const pickAuditFields = ({ name, managers, funnels }: DepartmentRow) => ({ name, managers, funnels })

const updateFunnels = (sql: Sql, id: string, funnels: number[]) =>
  sql.query({
    text: 'UPDATE departments SET funnels = ARRAY(SELECT unnest($2::bigint[]) ORDER BY 1) WHERE id = $1',
    values: [id, funnels],
  })

async function updateRoster(sql: Sql, id: string, names: string[]): Promise<void> {
  const managers = names.map(normalizeWhitespace)
  await rejectNamesInOtherRosters(sql, managers, [id], true)
  await removeOtherNamesFromRoster(sql, id, managers)
  await addNamesToRoster(sql, id, managers)
}

/** Deletes a department with its roster. @throws HttpError 403 if the actor is no owner, 404, 409 while it has people */
export async function deleteDepartment({ db }: Core, actor: Actor, id: string): Promise<void> {
  await runInTransaction(db, async (sql) => {
    await acquirePeopleLock(sql)
    await requireOwner(sql, actor)
    const before = await loadDepartment(sql, id)
    if (before.people > 0) throw conflictError(departmentMessages.occupied())
    await sql.query({ text: 'DELETE FROM departments WHERE id = $1', values: [id] })
    const details = { before: pickAuditFields(before) }
    await recordAuditChange(sql, actor, { action: 'department.delete', object: auditObjectOf(before), details })
  })
}

async function convertNameConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw findViolatedUniqueIndex(error) === 'departments_name' ? conflictError(departmentMessages.nameTaken()) : error
  }
}
