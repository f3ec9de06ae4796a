import { effectiveRights, type PersonRow } from './present.ts'
import { DEFAULT_RIGHTS, standsAbove, type Right, type Role, type Standing } from './values.ts'

/** Whether the actor's role is above a person's and has all of their rights; always true for an owner. */
export const canManage = (me: PersonRow, other: PersonRow): boolean => standsAbove(standingOf(me), standingOf(other))

const standingOf = (person: PersonRow): Standing => ({ role: person.role, rights: effectiveRights(person) })

/** Whether a department is one of the person's, or any for an owner. */
export const headsDepartment = (me: PersonRow, departmentId: string): boolean =>
  me.role === 'owner' || (me.role === 'head' && me.departments.some(({ id }) => id === departmentId))

/** Whether the actor sees a person: a head themselves, and people whose departments (one or more) are all theirs. */
export function sees(me: PersonRow, { id, departments }: PersonRow): boolean {
  if (me.role === 'owner' || me.id === id) return true
  return departments.length > 0 && departments.every((department) => headsDepartment(me, department.id))
}

/** The same as a condition on the table people p; `?` stands for each value. */
export function seenBy(me: PersonRow): { sql: string; values: unknown[] }[] {
  if (me.role === 'owner') return []
  const theirs = 'SELECT FROM person_departments b WHERE b.person_id = p.id'
  return [
    {
      sql: `(p.id = ? OR EXISTS (${theirs}) AND NOT EXISTS (${theirs} AND b.department_id <> ALL(?::uuid[])))`,
      values: [me.id, me.role === 'head' ? me.departments.map(({ id }) => id) : []],
    },
  ]
}

/** The rights after a change, over earlier ones or a new role's defaults. Nobody passes on defaults that they lack. */
export function rightsAfter(
  me: PersonRow,
  before: Pick<PersonRow, 'role' | 'rights'> | undefined,
  role: Role,
  given: Partial<Record<Right, boolean>> = {},
): Partial<Record<Right, boolean>> {
  if (role === 'owner') return {}
  if (before?.role === role) return { ...before.rights, ...given }
  const mine = effectiveRights(me)
  const defaults = Object.entries(DEFAULT_RIGHTS[role]).filter(([right]) => mine[right as Right])
  return { ...Object.fromEntries(defaults), ...given }
}

/** The first right that a change would grant although the actor lacks it. */
export function rightsBeyondOwn(
  me: PersonRow,
  before: Pick<PersonRow, 'role' | 'rights'> | undefined,
  given: Partial<Record<Right, boolean>> = {},
): Right | undefined {
  const mine = effectiveRights(me)
  const had = before && effectiveRights(before)
  return (Object.keys(given) as Right[]).find((right) => given[right] && !mine[right] && !had?.[right])
}
