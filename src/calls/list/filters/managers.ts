import { managersNamed } from '../../../people/managers/names.ts'
import { cleanName } from '../../../platform/lib/names.ts'
import { escapeLike, where, type Condition, type Where } from '../../../platform/lib/where.ts'
import * as field from '../../../platform/http/field.ts'
import { filter } from './filter.ts'

const NOBODY = '""'
const partsOf = (managers: string): string[] => managers.split('|').map(cleanName).filter(Boolean)

export const manager = filter(
  field.line(
    255,
    'A part of the manager’s name, in any case; е and ё are equal. The separator | means any of several parts. In double ' +
      'quotes the whole name; two quotes alone for calls without a manager.',
  ),
  { counters: 'manager', where: byNames },
)

export const department = filter(field.id('The id of the manager’s department.'), {
  counters: 'manager',
  where: byDepartment,
})

/** Calls of managers whose name has any of the parts, and of the managers of a department. */
export const ofManagers = (query: { manager?: string; department?: string }): Where => [
  ...(query.manager === undefined ? [] : byNames(query.manager)),
  ...(query.department === undefined ? [] : byDepartment(query.department)),
]

/** Whether the filter includes calls without a manager. */
export const asksForNobody = (managers: string | undefined): boolean => partsOf(managers ?? '').includes(NOBODY)

function byNames(managers: string): Where {
  const each = partsOf(managers).map(byName)
  if (each.length === 0) return []
  return [{ sql: `(${each.map(({ sql }) => sql).join(' OR ')})`, values: each.flatMap(({ values }) => values) }]
}

/** Compares the names of managers, because calls are far more: 91 ms instead of 192 for 145,000 calls. */
const NAMED_LIKE = `r.manager_id = ANY(
  ARRAY(SELECT coalesce(k.same_as, k.id) FROM managers k WHERE folded_name(k.name) LIKE folded_name(?) ESCAPE '!'))`

function byName(part: string): Condition {
  if (part === NOBODY) return { sql: 'r.manager_id IS NULL', values: [] }
  const [, whole] = /^"(.+)"$/.exec(part) ?? []
  return whole === undefined
    ? { sql: NAMED_LIKE, values: [`%${escapeLike(part)}%`] }
    : { sql: `r.manager_id = ANY(ARRAY(${managersNamed('ARRAY[?]')}))`, values: [whole] }
}

/** The roster is an array, so that Postgres uses the index by manager. */
function byDepartment(id: string): Where {
  const roster = 'SELECT m.manager_id FROM department_managers m WHERE m.department_id = ?::uuid'
  return where([`r.manager_id = ANY(ARRAY(${roster}))`, id])
}
