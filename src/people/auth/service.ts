import type { Sql } from '../../platform/db/sql.ts'
import type { Actor, PersonActor } from '../../platform/http/actor.ts'
import { diffProperties, insertAuditEntry, recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { badRequestError, HttpError, notFoundError } from '../../platform/errors.ts'
import { generateSecret, sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { requireOwner } from '../people/acting-person.ts'
import { Person } from '../people/entity.ts'
import { PERSON_COLUMNS_SQL, type PersonRow } from '../people/present.ts'
import { ApiKey } from './entity.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { insertSession, deleteOtherSessions } from './sessions.ts'
import { authMessages } from './messages.ts'

/**
 * Logs a person in and ends the earlier session of the browser.
 * @throws HttpError 401 with the same message for an unknown e-mail, a wrong password and a deactivated person
 */
export async function logIn(
  core: Core,
  { email, password }: { email: string; password: string },
  browser: { userAgent: string; oldToken: string | undefined },
): Promise<{ person: PersonRow; cookie: string }> {
  const found = await core.db
    .getRepository(Person)
    .createQueryBuilder('p')
    .where('lower(p.email) = lower(:email)', { email })
    .getOne()
  const isCorrect = await verifyPassword(found?.passwordHash, password)
  if (!found || !isCorrect || !found.active) {
    const object = found ? ({ type: 'person', id: found.id, name: found.name } as const) : undefined
    await insertAuditEntry(core.pool, { kind: 'nobody' }, { action: 'login.failed', object, details: { email } })
    throw wrongLoginError()
  }
  return runInTransaction(core.db, async (sql) => {
    const person = await recordLogin(sql, found)
    if (browser.oldToken) await deleteSession(sql, sha256(browser.oldToken))
    const { header, sessionHash } = await insertSession(core, sql, person.id, browser.userAgent)
    const actor: Actor = { kind: 'person', person: { ...person, seenManagers: [] }, sessionHash }
    await recordAuditChange(sql, actor, { action: 'login' })
    return { person, cookie: header }
  })
}

const wrongLoginError = () => new HttpError(401, authMessages.wrongLogin())

/** Fails if the person was deactivated or the password changed meanwhile, because a new session must not outlive either change. */
async function recordLogin(sql: Sql, { id, passwordHash }: Person): Promise<PersonRow> {
  const { rows } = await sql.query<PersonRow>({
    text: `UPDATE people p SET last_login_at = now() WHERE p.id = $1 AND p.active AND p.password_hash = $2
           RETURNING ${PERSON_COLUMNS_SQL}`,
    values: [id, passwordHash],
  })
  if (!rows[0]) throw wrongLoginError()
  return rows[0]
}

/** Writes an audit entry about too many failed logins or wrong current passwords. LoginThrottle calls it once per window. */
export async function recordThrottledLogin({ pool }: Core, email: string): Promise<void> {
  await insertAuditEntry(pool, { kind: 'nobody' }, { action: 'login.throttled', details: { email } })
}

/** Deletes the session of the request. Records the logout if the session still existed. */
export async function logOut({ db }: Core, actor: PersonActor): Promise<void> {
  await runInTransaction(db, async (sql) => {
    if (await deleteSession(sql, actor.sessionHash)) await recordAuditChange(sql, actor, { action: 'logout' })
  })
}

/** Returns the person if the password is correct; otherwise records the failure. @throws HttpError 400 for currentPassword */
export async function requireCurrentPassword(
  { db, pool }: Core,
  actor: PersonActor,
  password: string,
): Promise<Person> {
  const { id, name } = actor.person
  const person = await db.getRepository(Person).findOneByOrFail({ id })
  if (await verifyPassword(person.passwordHash, password)) return person
  await recordAuditChange(pool, actor, { action: 'password.failed', object: { type: 'person', id, name } })
  throw wrongPasswordError()
}

/**
 * Changes the person's own password and ends their other sessions.
 * @param person the row against which the current password was checked
 * @throws HttpError 400 for currentPassword if the password was changed meanwhile
 */
export async function changePassword(
  core: Core,
  actor: PersonActor,
  person: Person,
  newPassword: string,
): Promise<void> {
  const passwordHash = await hashPassword(newPassword)
  await runInTransaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: 'UPDATE people SET password_hash = $3, must_change_password = false WHERE id = $1 AND password_hash = $2',
      values: [person.id, person.passwordHash, passwordHash],
    })
    if (rowCount !== 1) throw wrongPasswordError()
    await deleteOtherSessions(sql, actor)
    const object = { type: 'person', id: person.id, name: person.name } as const
    await recordAuditChange(sql, actor, { action: 'password.change', object })
  })
}

const wrongPasswordError = () => badRequestError([authMessages.wrongPassword().withField('currentPassword')])

/** Changes the panel language of the person. @param language null for the language of the browser */
export async function changePanelLanguage(
  { db }: Core,
  actor: PersonActor,
  language: Person['language'],
): Promise<PersonRow> {
  const { id, name, language: before } = actor.person
  return runInTransaction(db, async (sql) => {
    const { rows } = await sql.query<PersonRow>({
      text: `UPDATE people p SET language = $2 WHERE p.id = $1 RETURNING ${PERSON_COLUMNS_SQL}`,
      values: [id, language],
    })
    const details = diffProperties({ language: before }, { language })
    const entry = { action: 'person.change', object: { type: 'person', id, name }, details } as const
    if (before !== language) await recordAuditChange(sql, actor, entry)
    return rows[0]!
  })
}

async function deleteSession(sql: Sql, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query({ text: 'DELETE FROM sessions WHERE token_hash = $1', values: [tokenHash] })
  return rowCount === 1
}

/** Deletes all sessions that have passed SESSION_TTL_HOURS. Runs as a scheduled task. */
export async function deleteExpiredSessions({ pool }: Core): Promise<void> {
  await pool.query({ text: 'DELETE FROM sessions WHERE expires_at < now()' })
}

/** Lists the keys that are not revoked, newest first. @returns the page of keys and the total count */
export async function listApiKeys({ db }: Core, page: number, pageSize: number): Promise<[ApiKey[], number]> {
  return db
    .getRepository(ApiKey)
    .createQueryBuilder('k')
    .where('k.revoked_at IS NULL')
    .orderBy('k.id', 'DESC')
    .skip((page - 1) * pageSize)
    .take(pageSize)
    .getManyAndCount()
}

/**
 * Creates an API key. Only this result contains the whole key; the database stores its SHA-256.
 * @throws HttpError 401 or 403 if the actor is no owner any more
 */
export async function createApiKey({ db }: Core, actor: Actor, name: string): Promise<{ apiKey: ApiKey; key: string }> {
  const key = `svc_${generateSecret()}`
  const apiKey: ApiKey = {
    id: generateId(),
    name,
    prefix: key.slice(0, 10),
    keyHash: sha256(key),
    createdAt: new Date(),
    lastUsedAt: null,
    revokedAt: null,
  }
  await runInTransaction(db, async (sql) => {
    await requireOwner(sql, actor)
    await sql.query({
      text: 'INSERT INTO api_keys (id, name, prefix, key_hash, created_at) VALUES ($1, $2, $3, $4, $5)',
      values: [apiKey.id, name, apiKey.prefix, apiKey.keyHash, apiKey.createdAt],
    })
    await recordAuditChange(sql, actor, { action: 'key.create', object: { type: 'key', id: apiKey.id, name } })
  })
  return { apiKey, key }
}

/** Revokes an API key permanently. @throws HttpError 401 or 403 if the actor is no owner any more, 404 for an unknown or revoked key */
export async function revokeApiKey({ db }: Core, actor: Actor, id: string): Promise<void> {
  await runInTransaction(db, async (sql) => {
    await requireOwner(sql, actor)
    const { rows } = await sql.query<{ id: string; name: string }>({
      text: 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id, name',
      values: [id],
    })
    if (!rows[0]) throw notFoundError(authMessages.noKey())
    await recordAuditChange(sql, actor, { action: 'key.revoke', object: { type: 'key', ...rows[0] } })
  })
}
