import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, forbiddenError } from '../../platform/errors.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { RIGHTS } from './entity.ts'
import { peopleMessages } from './messages.ts'
import { canManagePerson, findRightBeyondOwn, canManageDepartment } from './policy.ts'
import { computeEffectiveRights, type PersonRow } from './present.ts'
import type { PersonChanges } from './schema.ts'
import { isRoleAbove } from './values.ts'

/** Describes a person after a change, with the ids of their departments. */
export type PersonValues = Pick<
  PersonRow,
  'id' | 'email' | 'name' | 'role' | 'rights' | 'active' | 'mustChangePassword' | 'language'
> & {
  departmentIds: string[]
}

/**
 * Throws HttpError 403 for a person or role above the actor, a right that the actor lacks, or a forbidden change of an account.
 * @param before undefined for a new person
 */
export function rejectForbiddenPersonChanges(
  me: PersonRow,
  before: PersonRow | undefined,
  changes: PersonChanges,
): void {
  if (before && isRoleAbove(before.role, me.role)) throw forbiddenError()
  if (changes.role && isRoleAbove(changes.role, me.role))
    throw forbiddenError(peopleMessages.roleAbove().withField('role'))
  const right = findRightBeyondOwn(me, before, changes.rights)
  if (right) throw forbiddenError(peopleMessages.rightLacked().withField(`rights.${right}`))
  if (!before || me.role === 'owner') return
  if (before.id !== me.id) return rejectAccountTakeover(me, before, changes)
  if (changes.name !== undefined && normalizeWhitespace(changes.name) !== normalizeWhitespace(before.name)) {
    throw forbiddenError(peopleMessages.ownName().withField('name'))
  }
  if (changes.role && changes.role !== me.role) throw forbiddenError(peopleMessages.ownRole().withField('role'))
  if (changes.active === false) throw forbiddenError(peopleMessages.ownAccess().withField('active'))
}

/**
 * Throws HttpError 403 if the actor changes a person whom they cannot manage. A new e-mail or password allows logging in as that
 * person.
 */
function rejectAccountTakeover(me: PersonRow, before: PersonRow, changes: PersonChanges): void {
  if (canManagePerson(me, before)) return
  const rights = computeEffectiveRights(before)
  const changed = {
    // A name decides which calls a person sees.
    name: changes.name !== undefined && normalizeWhitespace(changes.name) !== normalizeWhitespace(before.name),
    password: changes.password !== undefined,
    email: changes.email !== undefined && changes.email !== before.email,
    role: changes.role !== undefined && changes.role !== before.role,
    active: changes.active !== undefined && changes.active !== before.active,
    mustChangePassword: (changes.mustChangePassword ?? before.mustChangePassword) !== before.mustChangePassword,
    rights: RIGHTS.some((right) => (changes.rights?.[right] ?? rights[right]) !== rights[right]),
  }
  const field = Object.entries(changed).find(([, is]) => is)?.[0]
  if (field) throw forbiddenError(peopleMessages.forOwner().withField(field))
}

/** Throws HttpError 400 with one message per invalid field: own password, rights of an owner, departments. */
export async function rejectInvalidPersonChanges(
  sql: Sql,
  me: PersonRow,
  before: PersonRow | undefined,
  after: PersonValues,
  changes: PersonChanges,
): Promise<void> {
  const violations: Message[] = []
  const addViolation = (field: string, rule: Message | undefined) => rule && violations.push(rule.withField(field))
  const isOwnPassword = changes.password !== undefined && before?.id === me.id
  addViolation('password', isOwnPassword ? peopleMessages.ownPassword() : undefined)
  const revokedRight = Object.entries(changes.rights ?? {}).find(([, granted]) => !granted)?.[0]
  if (after.role === 'owner' && revokedRight) addViolation(`rights.${revokedRight}`, peopleMessages.ownersRight())
  if (changes.departments || changes.role) addViolation('departments', await findDepartmentsViolation(sql, me, after))
  if (violations.length > 0) throw badRequestError(violations)
}

async function findDepartmentsViolation(
  sql: Sql,
  me: PersonRow,
  { role, departmentIds }: PersonValues,
): Promise<Message | undefined> {
  if (role === 'manager' && departmentIds.length > 1) return peopleMessages.oneDepartment()
  if (me.role === 'head') {
    if (departmentIds.length === 0) return peopleMessages.noDepartment()
    return departmentIds.every((id) => canManageDepartment(me, id)) ? undefined : peopleMessages.otherDepartment()
  }
  const { rowCount } = await sql.query({
    text: 'SELECT FROM departments WHERE id = ANY($1::uuid[])',
    values: [departmentIds],
  })
  return rowCount === departmentIds.length ? undefined : peopleMessages.goneDepartment()
}

/** Throws HttpError 409 if the change leaves no active owner. Call it after the update, in the same transaction. */
export async function requireRemainingOwner(sql: Sql): Promise<void> {
  const { rowCount } = await sql.query({ text: `SELECT FROM people WHERE role = 'owner' AND active LIMIT 1` })
  if (rowCount === 0) throw conflictError(peopleMessages.lastOwner())
}
