import { computeEffectiveRights, type PersonRow } from './present.ts'
import { DEFAULT_RIGHTS, hasAuthorityOver, type Right, type Role, type Authority } from './values.ts'

/** Whether the actor's role is above a person's and has all of their rights; always true for an owner. */
export const canManage = (me: PersonRow, other: PersonRow): boolean =>
  hasAuthorityOver(authorityOf(me), authorityOf(other))

const authorityOf = (person: PersonRow): Authority => ({ role: person.role, rights: computeEffectiveRights(person) })

/** Whether a department is one of the person's, or any for an owner. */
export const canManageDepartment = (me: PersonRow, departmentId: string): boolean =>
  me.role === 'owner' || (me.role === 'head' && me.departments.some(({ id }) => id === departmentId))

/** Whether the actor sees a person: a head themselves, and people whose departments (one or more) are all theirs. */
export function canSeePerson(me: PersonRow, { id, departments }: PersonRow): boolean {
  if (me.role === 'owner' || me.id === id) return true
  return departments.length > 0 && departments.every((department) => canManageDepartment(me, department.id))
}

/** The same as a condition on the table people p; `?` stands for each value. */
export function visiblePeopleCondition(me: PersonRow): { sql: string; values: unknown[] }[] {
  if (me.role === 'owner') return []
  const departmentsSql = 'SELECT FROM person_departments b WHERE b.person_id = p.id'
  return [
    {
      sql: `(p.id = ? OR EXISTS (${departmentsSql}) AND NOT EXISTS (${departmentsSql} AND b.department_id <> ALL(?::uuid[])))`,
      values: [me.id, me.role === 'head' ? me.departments.map(({ id }) => id) : []],
    },
  ]
}

/** The rights after a change, over earlier ones or a new role's defaults. Nobody passes on defaults that they lack. */
export function computeRights(
  me: PersonRow,
  before: Pick<PersonRow, 'role' | 'rights'> | undefined,
  role: Role,
  requestedRights: Partial<Record<Right, boolean>> = {},
): Partial<Record<Right, boolean>> {
  if (role === 'owner') return {}
  if (before?.role === role) return { ...before.rights, ...requestedRights }
  const ownRights = computeEffectiveRights(me)
  const defaults = Object.entries(DEFAULT_RIGHTS[role]).filter(([right]) => ownRights[right as Right])
  return { ...Object.fromEntries(defaults), ...requestedRights }
}

/** The first right that a change would grant although the actor lacks it. */
export function rightsBeyondOwn(
  me: PersonRow,
  before: Pick<PersonRow, 'role' | 'rights'> | undefined,
  requestedRights: Partial<Record<Right, boolean>> = {},
): Right | undefined {
  const ownRights = computeEffectiveRights(me)
  const rightsBefore = before && computeEffectiveRights(before)
  return (Object.keys(requestedRights) as Right[]).find(
    (right) => requestedRights[right] && !ownRights[right] && !rightsBefore?.[right],
  )
}
