import type { Sql } from '../../platform/db/sql.ts'
import { type Actor, SYSTEM } from '../../platform/http/actor.ts'
import { difference, recordChange, insertEntry } from '../../platform/audit/record.ts'
import { hashPassword } from '../auth/passwords.ts'
import type { Core } from '../../platform/core.ts'
import { selectPage } from '../../platform/db/page.ts'
import { brokenUniqueIndex, transaction } from '../../platform/db/db.ts'
import { lockPeople } from '../departments/roster.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { escapeLike, Parameters, where } from '../../platform/lib/where.ts'
import type { Role } from './entity.ts'
import { assignDepartments } from './assignment.ts'
import { loadActingPerson } from './acting.ts'
import { peopleMessages } from './messages.ts'
import { rightsAfter, sees, seenBy } from './policy.ts'
import { effectiveRights, PERSON_COLUMNS, SELECT_PERSON, type PersonRow } from './present.ts'
import type { NewPerson, PersonChanges } from './schema.ts'
import { refuseNoOwner, refuseTooMuch, refuseViolations, type Wanted } from './refusals.ts'
import type { DataSource } from 'typeorm'

/** Creates the first owner from BOOTSTRAP_ADMIN_*, only while there is no person; without both it warns. */
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
  const created = await transaction(db, async (sql) => {
    await lockPeople(sql)
    const { rowCount } = await sql.query({
      text: `INSERT INTO people (id, email, name, role, password_hash)
             SELECT $1, $2, $3, 'owner', $4 WHERE NOT EXISTS (SELECT FROM people)`,
      values: [newId(), email, email.split('@')[0], passwordHash],
    })
    return rowCount === 1
  })
  if (created) log.info('the first owner was created; BOOTSTRAP_ADMIN_PASSWORD can be removed now')
}

/** Filters of people, and the page. */
interface PeopleQuery {
  page: number
  pageSize: number
  q?: string
  role?: Role
  department?: string
  active?: boolean
}

/** A page of the people visible to the actor, by name. */
export function listPeople({ pool }: Core, me: PersonRow, query: PeopleQuery) {
  const p = new Parameters()
  const part = query.q === undefined ? undefined : `%${escapeLike(cleanName(query.q))}%`
  const chosen = p.and([
    ...seenBy(me),
    ...where(
      [`(lower(p.name) || ' ' || lower(p.email)) LIKE lower(?) ESCAPE '!'`, part],
      ['p.role = ?', query.role],
      ['p.active = ?', query.active],
      ['EXISTS (SELECT FROM person_departments b WHERE b.person_id = p.id AND b.department_id = ?)', query.department],
    ),
  ])
  const list = { from: `people p WHERE ${chosen}`, order: 'lower(p.name), p.id', values: p.values }
  return selectPage<PersonRow>(pool, { select: PERSON_COLUMNS, ...list }, query)
}

/** One person visible to the actor. @throws HttpError 404 */
export async function readPerson({ pool }: Core, me: PersonRow, id: string): Promise<PersonRow> {
  const person = await findPerson(pool, id)
  if (!person || !sees(me, person)) throw notFound(peopleMessages.noPerson())
  return person
}

async function findPerson(sql: Sql, id: string): Promise<PersonRow | undefined> {
  const { rows } = await sql.query<PersonRow>({ text: `${SELECT_PERSON} WHERE p.id = $1`, values: [id] })
  return rows[0]
}

/**
 * Adds a person.
 * @throws HttpError 400 naming the fields, 403 for a right or role beyond the actor's, 409 for a taken e-mail or rostered name
 */
export async function createPerson(core: Core, actor: Actor, given: NewPerson): Promise<PersonRow> {
  const passwordHash = await hashPassword(given.password)
  return changePeople(core, actor, async (sql, me) => {
    const wanted = {
      id: newId(),
      email: given.email,
      name: cleanName(given.name),
      role: given.role,
      rights: rightsAfter(me, undefined, given.role, given.rights),
      active: true,
      mustChangePassword: given.mustChangePassword ?? false,
      language: given.language ?? null,
      departmentIds: idsOf(given.departments),
    }
    refuseTooMuch(me, undefined, given)
    await refuseViolations(sql, me, undefined, wanted, given)
    await sql.query({
      text: `INSERT INTO people (id, email, name, role, rights, active, language, must_change_password, password_hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [...columnsOf(wanted), passwordHash],
    })
    await assignDepartments(sql, { actor, me }, undefined, wanted)
    const person = (await findPerson(sql, wanted.id))!
    await recordChange(sql, actor, {
      action: 'person.create',
      object: asObject(person),
      details: { after: noted(person) },
    })
    return person
  })
}

/**
 * Changes a person.
 * @throws HttpError 404 for an invisible person, 400, 403 and 409 as at creation, 409 if no active owner would remain
 */
export async function changePerson(core: Core, actor: Actor, id: string, given: PersonChanges): Promise<PersonRow> {
  const passwordHash = given.password === undefined ? undefined : await hashPassword(given.password)
  return changePeople(core, actor, async (sql, me) => {
    const before = await findPerson(sql, id)
    if (!before || !sees(me, before)) throw notFound(peopleMessages.noPerson())
    const wanted = merge(me, before, given)
    refuseTooMuch(me, before, given)
    await refuseViolations(sql, me, before, wanted, given)
    await sql.query({
      text: `UPDATE people SET email = $2, name = $3, role = $4, rights = $5, active = $6, language = $7,
                    must_change_password = $8, password_hash = coalesce($9, password_hash) WHERE id = $1`,
      values: [...columnsOf(wanted), passwordHash],
    })
    await refuseNoOwner(sql)
    await assignDepartments(sql, { actor, me }, before, wanted)
    if (!wanted.active || passwordHash !== undefined) {
      await sql.query({ text: 'DELETE FROM sessions WHERE person_id = $1', values: [id] })
    }
    const person = (await findPerson(sql, id))!
    await recordPerson(sql, actor, before, person, passwordHash !== undefined)
    return person
  })
}

const asObject = ({ id, name }: PersonRow) => ({ type: 'person', id, name }) as const

/** The fields of a person in the audit log. */
const noted = (person: PersonRow) => {
  const { email, name, role, active, mustChangePassword, language, departments } = person
  return {
    email,
    name,
    role,
    rights: effectiveRights(person),
    departments: departments.map((one) => one.name),
    active,
    mustChangePassword,
    language,
  }
}

async function recordPerson(
  sql: Sql,
  actor: Actor,
  before: PersonRow,
  person: PersonRow,
  password: boolean,
): Promise<void> {
  const details = difference(noted(before), noted(person))
  if (password) Object.assign(details.after, { password: 'changed' })
  if (Object.keys(details.after).length === 0) return
  const action = before.active && !person.active ? 'person.deactivate' : 'person.change'
  await recordChange(sql, actor, { action, object: asObject(person), details })
}

/** Runs a change in one transaction, one at a time. Reloads the actor, who could have been demoted just now. */
async function changePeople(
  { db }: Core,
  actor: Actor,
  work: (sql: Sql, me: PersonRow) => Promise<PersonRow>,
): Promise<PersonRow> {
  try {
    return await transaction(db, async (sql) => {
      await lockPeople(sql)
      const me = await loadActingPerson(sql, actor)
      if (me.role === 'manager') throw forbidden()
      return work(sql, me)
    })
  } catch (error) {
    throw brokenUniqueIndex(error) === 'people_email' ? conflict(peopleMessages.emailTaken()) : error
  }
}

function merge(me: PersonRow, before: PersonRow, given: PersonChanges): Wanted {
  const role = given.role ?? before.role
  return {
    id: before.id,
    email: given.email ?? before.email,
    name: given.name === undefined ? before.name : cleanName(given.name),
    role,
    rights: rightsAfter(me, before, role, given.rights),
    active: given.active ?? before.active,
    mustChangePassword: given.mustChangePassword ?? before.mustChangePassword,
    language: given.language === undefined ? before.language : given.language,
    departmentIds: given.departments ? idsOf(given.departments) : before.departments.map(({ id }) => id),
  }
}

/** Each id once, as Postgres formats it. */
const idsOf = (given: string[] = []): string[] => [...new Set(given.map((id) => id.toLowerCase()))]

const columnsOf = ({ id, email, name, role, rights, active, language, mustChangePassword }: Wanted): unknown[] => [
  id, email, name, role, JSON.stringify(rights), active, language, mustChangePassword,
] // prettier-ignore

/** Resets a password from the command line and ends the sessions. @throws Error for an unknown or deactivated person */
export async function resetPassword(db: DataSource, email: string, password: string, activate = false): Promise<void> {
  const passwordHash = await hashPassword(password)
  await transaction(db, async (sql) => {
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
    await insertEntry(sql, SYSTEM, { action: 'person.change', object, details: { before: {}, after } })
  })
}
