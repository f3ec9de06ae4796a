import { computeEffectiveRights, type PersonRow } from './present.ts'
import { DEFAULT_RIGHTS_BY_ROLE, hasAuthorityOver, type Right, type Role, type PersonAuthority } from './values.ts'

/** Returns true if the actor's role is above the person's and the actor has all of their rights; always true for an owner. */
export const canManagePerson = (me: PersonRow, other: PersonRow): boolean =>
  hasAuthorityOver(authorityOf(me), authorityOf(other))

const authorityOf = (person: PersonRow): PersonAuthority => ({
  role: person.role,
  rights: computeEffectiveRights(person),
})

/** Returns true for a head of the department, and for an owner with any department. */
export const canManageDepartment = (me: PersonRow, departmentId: string): boolean =>
  me.role === 'owner' || (me.role === 'head' && me.departments.some(({ id }) => id === departmentId))

/**
 * Returns true if the actor sees the person. Owners see all and others themselves; a head also sees people with departments that
 * are all the head's.
 */
export function canSeePerson(me: PersonRow, { id, departments }: PersonRow): boolean {
  if (me.role === 'owner' || me.id === id) return true
  return departments.length > 0 && departments.every((department) => canManageDepartment(me, department.id))
}

/** Returns the rule of canSeePerson() as conditions on people p, with `?` for each value; none for an owner. */
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

/**
 * Returns the rights after a change: requested ones over the present ones, or over the defaults of a new role.
 * Omits defaults that the actor lacks. Empty for an owner.
 */
export function computeRightsAfterChange(
  me: PersonRow,
  before: Pick<PersonRow, 'role' | 'rights'> | undefined,
  role: Role,
  requestedRights: Partial<Record<Right, boolean>> = {},
): Partial<Record<Right, boolean>> {
  if (role === 'owner') return {}
  if (before?.role === role) return { ...before.rights, ...requestedRights }
  const ownRights = computeEffectiveRights(me)
  const defaults = Object.entries(DEFAULT_RIGHTS_BY_ROLE[role]).filter(([right]) => ownRights[right as Right])
  return { ...Object.fromEntries(defaults), ...requestedRights }
}

/** Returns the first right that a change grants although the actor lacks it; undefined if there is none. */
export function findRightBeyondOwn(
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
