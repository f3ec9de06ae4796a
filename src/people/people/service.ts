import type { Sql } from '../../platform/db/sql.ts'
import { type Actor, SYSTEM_ACTOR } from '../../platform/http/actor.ts'
import { diffProperties, recordAuditChange, insertAuditEntry } from '../../platform/audit/entries.ts'
import { hashPassword } from '../auth/passwords.ts'
import type { Core } from '../../platform/core.ts'
import { listPage } from '../../platform/db/page.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { acquirePeopleLock } from '../departments/roster.ts'
import { conflictError, forbiddenError, notFoundError } from '../../platform/errors.ts'
import { generateId, toUniqueIds } from '../../platform/lib/ids.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { escapeLikePattern, SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import type { Role } from './entity.ts'
import { assignPersonDepartments } from './department-assignment.ts'
import { loadActingPerson } from './acting-person.ts'
import { peopleMessages } from './messages.ts'
import { computeRightsAfterChange, canSeePerson, visiblePeopleCondition } from './policy.ts'
import { computeEffectiveRights, PERSON_COLUMNS_SQL, SELECT_PERSON_SQL, type PersonRow } from './present.ts'
import type { NewPerson, PersonChanges } from './schema.ts'
import {
  requireRemainingOwner,
  rejectForbiddenPersonChanges,
  rejectInvalidPersonChanges,
  type PersonValues,
} from './change-validation.ts'
import type { DataSource } from 'typeorm'

/**
 * Creates the first owner from BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD if the database has no people.
 * Logs a warning if a variable is missing.
 */
export async function createFirstOwner({ config, db, pool, log }: Core): Promise<void> {
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = config
  const { rows } = await pool.query({ text: 'SELECT FROM people LIMIT 1' })
  if (rows.length > 0) return
  if (!email || !password) {
    log.warn(
      'nobody can log in: the database holds no person yet, and the first owner is created only with both ' +
        'BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD',
    )
    return
  }
  const passwordHash = await hashPassword(password)
  const created = await runInTransaction(db, async (sql) => {
    await acquirePeopleLock(sql)
    const { rowCount } = await sql.query({
      text: `INSERT INTO people (id, email, name, role, password_hash)
             SELECT $1, $2, $3, 'owner', $4 WHERE NOT EXISTS (SELECT FROM people)`,
      values: [generateId(), email, email.split('@')[0], passwordHash],
    })
    return rowCount === 1
  })
  if (created) log.info('the first owner was created; BOOTSTRAP_ADMIN_PASSWORD can be removed now')
}

interface PeopleQuery {
  page: number
  pageSize: number
  q?: string
  role?: Role
  department?: string
  active?: boolean
}

/** Lists the people visible to the actor that match the filters, by name. */
export function listPeople({ pool }: Core, me: PersonRow, query: PeopleQuery) {
  const p = new SqlParameters()
  const namePattern = query.q === undefined ? undefined : `%${escapeLikePattern(normalizeWhitespace(query.q))}%`
  const condition = p.and([
    ...visiblePeopleCondition(me),
    ...toConditions(
      [`(lower(p.name) || ' ' || lower(p.email)) LIKE lower(?) ESCAPE '!'`, namePattern],
      ['p.role = ?', query.role],
      ['p.active = ?', query.active],
      ['EXISTS (SELECT FROM person_departments b WHERE b.person_id = p.id AND b.department_id = ?)', query.department],
    ),
  ])
  const list = { from: `people p WHERE ${condition}`, order: 'lower(p.name), p.id', values: p.values }
  return listPage<PersonRow>(pool, { select: PERSON_COLUMNS_SQL, ...list }, query)
}

/** Loads a person that the actor can see. @throws HttpError 404 for an unknown or invisible person */
export async function loadVisiblePerson({ pool }: Core, me: PersonRow, id: string): Promise<PersonRow> {
  const person = await findPerson(pool, id)
  if (!person || !canSeePerson(me, person)) throw notFoundError(peopleMessages.noPerson())
  return person
}

async function findPerson(sql: Sql, id: string): Promise<PersonRow | undefined> {
  const { rows } = await sql.query<PersonRow>({ text: `${SELECT_PERSON_SQL} WHERE p.id = $1`, values: [id] })
  return rows[0]
}

/**
 * Creates a person with rights and departments and writes an audit entry.
 * @throws HttpError 400 naming the fields, 403 for a right or role beyond the actor's, 409 for a taken e-mail or rostered name
 */
export async function createPerson(core: Core, actor: Actor, input: NewPerson): Promise<PersonRow> {
  const passwordHash = await hashPassword(input.password)
  return runPeopleChange(core, actor, async (sql, me) => {
    const after = {
      id: generateId(),
      email: input.email,
      name: normalizeWhitespace(input.name),
      role: input.role,
      rights: computeRightsAfterChange(me, undefined, input.role, input.rights),
      active: true,
      mustChangePassword: input.mustChangePassword ?? false,
      language: input.language ?? null,
      departmentIds: toUniqueIds(input.departments ?? []),
    }
    rejectForbiddenPersonChanges(me, undefined, input)
    await rejectInvalidPersonChanges(sql, me, undefined, after, input)
    await sql.query({
      text: `INSERT INTO people (id, email, name, role, rights, active, language, must_change_password, password_hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [...columnsOf(after), passwordHash],
    })
    await assignPersonDepartments(sql, { actor, me }, undefined, after)
    const person = (await findPerson(sql, after.id))!
    await recordAuditChange(sql, actor, {
      action: 'person.create',
      object: auditObjectOf(person),
      details: { after: pickAuditFields(person) },
    })
    return person
  })
}

/**
 * Changes a person and writes an audit entry. A new password or deactivation ends all sessions of the person.
 * @throws HttpError 404 for an invisible person, 400, 403 and 409 as createPerson(), 409 if no active owner remains
 */
export async function changePerson(core: Core, actor: Actor, id: string, input: PersonChanges): Promise<PersonRow> {
  const passwordHash = input.password === undefined ? undefined : await hashPassword(input.password)
  return runPeopleChange(core, actor, async (sql, me) => {
    const before = await findPerson(sql, id)
    if (!before || !canSeePerson(me, before)) throw notFoundError(peopleMessages.noPerson())
    const after = mergeChanges(me, before, input)
    rejectForbiddenPersonChanges(me, before, input)
    await rejectInvalidPersonChanges(sql, me, before, after, input)
    await sql.query({
      text: `UPDATE people SET email = $2, name = $3, role = $4, rights = $5, active = $6, language = $7,
                    must_change_password = $8, password_hash = coalesce($9, password_hash) WHERE id = $1`,
      values: [...columnsOf(after), passwordHash],
    })
    await requireRemainingOwner(sql)
    await assignPersonDepartments(sql, { actor, me }, before, after)
    if (!after.active || passwordHash !== undefined) {
      await sql.query({ text: 'DELETE FROM sessions WHERE person_id = $1', values: [id] })
    }
    const person = (await findPerson(sql, id))!
    await recordPersonChange(sql, actor, before, person, passwordHash !== undefined)
    return person
  })
}

const auditObjectOf = ({ id, name }: PersonRow) => ({ type: 'person', id, name }) as const

const pickAuditFields = (person: PersonRow) => {
  const { email, name, role, active, mustChangePassword, language, departments } = person
  return {
    email,
    name,
    role,
    rights: computeEffectiveRights(person),
    departments: departments.map((one) => one.name),
    active,
    mustChangePassword,
    language,
  }
}

async function recordPersonChange(
  sql: Sql,
  actor: Actor,
  before: PersonRow,
  person: PersonRow,
  password: boolean,
): Promise<void> {
  const details = diffProperties(pickAuditFields(before), pickAuditFields(person))
  if (password) Object.assign(details.after, { password: 'changed' })
  if (Object.keys(details.after).length === 0) return
  const action = before.active && !person.active ? 'person.deactivate' : 'person.change'
  await recordAuditChange(sql, actor, { action, object: auditObjectOf(person), details })
}

/** Runs one change at a time in a transaction. Reloads the actor, because a parallel change can have demoted them. */
async function runPeopleChange(
  { db }: Core,
  actor: Actor,
  work: (sql: Sql, me: PersonRow) => Promise<PersonRow>,
): Promise<PersonRow> {
  try {
    return await runInTransaction(db, async (sql) => {
      await acquirePeopleLock(sql)
      const me = await loadActingPerson(sql, actor)
      if (me.role === 'manager') throw forbiddenError()
      return work(sql, me)
    })
  } catch (error) {
    throw findViolatedUniqueIndex(error) === 'people_email' ? conflictError(peopleMessages.emailTaken()) : error
  }
}

function mergeChanges(me: PersonRow, before: PersonRow, input: PersonChanges): PersonValues {
  const role = input.role ?? before.role
  return {
    id: before.id,
    email: input.email ?? before.email,
    name: input.name === undefined ? before.name : normalizeWhitespace(input.name),
    role,
    rights: computeRightsAfterChange(me, before, role, input.rights),
    active: input.active ?? before.active,
    mustChangePassword: input.mustChangePassword ?? before.mustChangePassword,
    language: input.language === undefined ? before.language : input.language,
    departmentIds: input.departments ? toUniqueIds(input.departments) : before.departments.map(({ id }) => id),
  }
}

const columnsOf = ({ id, email, name, role, rights, active, language, mustChangePassword }: PersonValues): unknown[] => [
  id, email, name, role, JSON.stringify(rights), active, language, mustChangePassword,
] // prettier-ignore

/**
 * Resets a password for the command line and ends all sessions of the person.
 * @param activate reactivates a deactivated person
 * @throws Error for an unknown person, and for a deactivated one without `activate`
 */
export async function resetPassword(db: DataSource, email: string, password: string, activate = false): Promise<void> {
  const passwordHash = await hashPassword(password)
  await runInTransaction(db, async (sql) => {
    const { rows } = await sql.query<{ id: string; name: string; active: boolean }>({
      text: 'SELECT id, name, active FROM people WHERE lower(email) = lower($1) FOR UPDATE',
      values: [email],
    })
    const person = rows[0]
    if (!person) throw new Error(`nobody has the e-mail ${email}`)
    if (!person.active && !activate) throw new Error(`${email} is deactivated: add --activate to let them in again`)
    await sql.query({
      text: 'UPDATE people SET password_hash = $2, active = true WHERE id = $1',
      values: [person.id, passwordHash],
    })
    await sql.query({ text: 'DELETE FROM sessions WHERE person_id = $1', values: [person.id] })
    const after = { password: 'changed', by: 'reset-password', ...(person.active ? {} : { active: true }) }
    const object = { type: 'person', id: person.id, name: person.name } as const
    await insertAuditEntry(sql, SYSTEM_ACTOR, { action: 'person.change', object, details: { before: {}, after } })
  })
}
