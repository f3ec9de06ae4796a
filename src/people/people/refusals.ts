import type { Sql } from '../../platform/db/sql.ts'
import { badRequest, conflict, forbidden } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { RIGHTS } from './entity.ts'
import { peopleMessages } from './messages.ts'
import { canManage, rightsBeyondOwn, headsDepartment } from './policy.ts'
import { effectiveRights, type PersonRow } from './present.ts'
import type { PersonChanges } from './schema.ts'
import { isAbove } from './values.ts'

/** The new values of a person. */
export type Wanted = Pick<
  PersonRow,
  'id' | 'email' | 'name' | 'role' | 'rights' | 'active' | 'mustChangePassword' | 'language'
> & {
  departmentIds: string[]
}

/** @throws HttpError 403 for people above the actor, and for changes that people cannot make to themselves */
export function refuseTooMuch(me: PersonRow, before: PersonRow | undefined, given: PersonChanges): void {
  if (before && isAbove(before.role, me.role)) throw forbidden()
  if (given.role && isAbove(given.role, me.role)) throw forbidden(peopleMessages.roleAbove().about('role'))
  const right = rightsBeyondOwn(me, before, given.rights)
  if (right) throw forbidden(peopleMessages.rightLacked().about(`rights.${right}`))
  if (!before || me.role === 'owner') return
  if (before.id !== me.id) return refuseTakingOver(me, before, given)
  if (given.name !== undefined && cleanName(given.name) !== cleanName(before.name)) {
    throw forbidden(peopleMessages.ownName().about('name'))
  }
  if (given.role && given.role !== me.role) throw forbidden(peopleMessages.ownRole().about('role'))
  if (given.active === false) throw forbidden(peopleMessages.ownAccess().about('active'))
}

/** Only those above a person set their e-mail, password or rights, which allow logging in as them. @throws HttpError 403 */
function refuseTakingOver(me: PersonRow, before: PersonRow, given: PersonChanges): void {
  if (canManage(me, before)) return
  const rights = effectiveRights(before)
  const changed = {
    // Names decide whose calls somebody sees.
    name: given.name !== undefined && cleanName(given.name) !== cleanName(before.name),
    password: given.password !== undefined,
    email: given.email !== undefined && given.email !== before.email,
    role: given.role !== undefined && given.role !== before.role,
    active: given.active !== undefined && given.active !== before.active,
    mustChangePassword: (given.mustChangePassword ?? before.mustChangePassword) !== before.mustChangePassword,
    rights: RIGHTS.some((right) => (given.rights?.[right] ?? rights[right]) !== rights[right]),
  }
  const field = Object.entries(changed).find(([, is]) => is)?.[0]
  if (field) throw forbidden(peopleMessages.forOwner().about(field))
}

/** @throws HttpError 400, one message a field */
export async function refuseViolations(
  sql: Sql,
  me: PersonRow,
  before: PersonRow | undefined,
  wanted: Wanted,
  given: PersonChanges,
): Promise<void> {
  const violations: Message[] = []
  const violation = (field: string, rule: Message | undefined) => rule && violations.push(rule.about(field))
  const own = given.password !== undefined && before?.id === me.id
  violation('password', own ? peopleMessages.ownPassword() : undefined)
  const taken = Object.entries(given.rights ?? {}).find(([, granted]) => !granted)?.[0]
  if (wanted.role === 'owner' && taken) violation(`rights.${taken}`, peopleMessages.ownersRight())
  if (given.departments || given.role) violation('departments', await departmentsViolation(sql, me, wanted))
  if (violations.length > 0) throw badRequest(violations)
}

async function departmentsViolation(
  sql: Sql,
  me: PersonRow,
  { role, departmentIds }: Wanted,
): Promise<Message | undefined> {
  if (role === 'manager' && departmentIds.length > 1) return peopleMessages.oneDepartment()
  if (me.role === 'head') {
    if (departmentIds.length === 0) return peopleMessages.noDepartment()
    return departmentIds.every((id) => headsDepartment(me, id)) ? undefined : peopleMessages.otherDepartment()
  }
  const { rowCount } = await sql.query({
    text: 'SELECT FROM departments WHERE id = ANY($1::uuid[])',
    values: [departmentIds],
  })
  return rowCount === departmentIds.length ? undefined : peopleMessages.goneDepartment()
}

/** @throws HttpError 409 */
export async function refuseNoOwner(sql: Sql): Promise<void> {
  const { rowCount } = await sql.query({ text: `SELECT FROM people WHERE role = 'owner' AND active LIMIT 1` })
  if (rowCount === 0) throw conflict(peopleMessages.lastOwner())
}
