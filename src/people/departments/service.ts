import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { difference, recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { brokenUniqueIndex, transaction } from '../../platform/db/db.ts'
import { selectPage, type PageRequest } from '../../platform/db/page.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { Parameters, where, type Where } from '../../platform/lib/where.ts'
import { refuseUnlessOwner } from '../people/acting.ts'
import type { PersonRow } from '../people/present.ts'
import { addToRoster, keepInRoster, lockPeople, refuseElsewhere } from './roster.ts'
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

/** The departments that a person sees: an owner all, a head their own. */
const seenBy = (me: PersonRow): Where =>
  where(['d.id = ANY(?::uuid[])', me.role === 'owner' ? undefined : me.departments.map(({ id }) => id)])

export function listDepartments({ pool }: Core, me: PersonRow, page: PageRequest) {
  const p = new Parameters()
  const seen = p.and(seenBy(me))
  const list = { from: `departments d WHERE ${seen}`, order: 'lower(d.name), d.id', values: p.values }
  return selectPage<DepartmentRow>(pool, { select: DEPARTMENT_COLUMNS, ...list }, page)
}

/** One department. @throws HttpError 404 */
export const readDepartment = ({ pool }: Core, me: PersonRow, id: string): Promise<DepartmentRow> =>
  findDepartment(pool, id, seenBy(me))

async function findDepartment(sql: Sql, id: string, seen: Where = []): Promise<DepartmentRow> {
  const p = new Parameters()
  const { rows } = await sql.query<DepartmentRow>({
    text: `SELECT ${DEPARTMENT_COLUMNS} FROM departments d WHERE d.id = ${p.add(id)} AND ${p.and(seen)}`,
    values: p.values,
  })
  if (!rows[0]) throw notFound(departmentMessages.noDepartment())
  return rows[0]
}

/** Creates a department. @throws HttpError 409 for a taken name or manager */
export function createDepartment(
  { db }: Core,
  actor: Actor,
  { name, managers, funnels }: NewDepartment,
): Promise<DepartmentRow> {
  const id = newId()
  return refusingTakenNames(() =>
    transaction(db, async (sql) => {
      await lockPeople(sql)
      await refuseUnlessOwner(sql, actor)
      await sql.query({ text: 'INSERT INTO departments (id, name) VALUES ($1, $2)', values: [id, cleanName(name)] })
      if (managers) await writeRoster(sql, id, managers)
      if (funnels) await writeFunnels(sql, id, funnels)
      const made = await findDepartment(sql, id)
      const details = { after: noted(made) }
      await recordChange(sql, actor, { action: 'department.create', object: asObject(made), details })
      return made
    }),
  )
}

/** Changes a department. @throws HttpError 404, 409 for a taken name or manager */
export function changeDepartment(
  { db }: Core,
  actor: Actor,
  id: string,
  { name, managers, funnels }: DepartmentChanges,
): Promise<DepartmentRow> {
  return refusingTakenNames(() =>
    transaction(db, async (sql) => {
      await lockPeople(sql)
      await refuseUnlessOwner(sql, actor)
      const before = await findDepartment(sql, id)
      if (name !== undefined)
        await sql.query({ text: 'UPDATE departments SET name = $2 WHERE id = $1', values: [id, cleanName(name)] })
      if (managers) await writeRoster(sql, id, managers)
      if (funnels) await writeFunnels(sql, id, funnels)
      const after = await findDepartment(sql, id)
      const details = difference(noted(before), noted(after))
      if (Object.keys(details.after).length > 0) {
        await recordChange(sql, actor, { action: 'department.change', object: asObject(after), details })
      }
      return after
    }),
  )
}

const asObject = ({ id, name }: DepartmentRow) => ({ type: 'department', id, name }) as const

/** The fields of a department in the audit log. */
const noted = ({ name, managers, funnels }: DepartmentRow) => ({ name, managers, funnels })

const writeFunnels = (sql: Sql, id: string, funnels: number[]) =>
  sql.query({
    text: 'UPDATE departments SET funnels = ARRAY(SELECT unnest($2::bigint[]) ORDER BY 1) WHERE id = $1',
    values: [id, funnels],
  })

async function writeRoster(sql: Sql, id: string, given: string[]): Promise<void> {
  const managers = given.map(cleanName)
  await refuseElsewhere(sql, managers, [id], true)
  await keepInRoster(sql, id, managers)
  await addToRoster(sql, id, managers)
}

/** Deletes a department with its roster. @throws HttpError 404, 409 while it has people */
export async function deleteDepartment({ db }: Core, actor: Actor, id: string): Promise<void> {
  await transaction(db, async (sql) => {
    await lockPeople(sql)
    await refuseUnlessOwner(sql, actor)
    const before = await findDepartment(sql, id)
    if (before.people > 0) throw conflict(departmentMessages.occupied())
    await sql.query({ text: 'DELETE FROM departments WHERE id = $1', values: [id] })
    const details = { before: noted(before) }
    await recordChange(sql, actor, { action: 'department.delete', object: asObject(before), details })
  })
}

async function refusingTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw brokenUniqueIndex(error) === 'departments_name' ? conflict(departmentMessages.nameTaken()) : error
  }
}
