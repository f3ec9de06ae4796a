import type { Core } from '../core.ts'
import { pool } from '../db.ts'
import { HttpError, notFound } from '../errors.ts'
import { randomSecret, sha256 } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { Person } from '../people/entity.ts'
import { ApiKey } from './entity.ts'
import { isPassword } from './passwords.ts'
import { createSessionCookie } from './session.ts'

/**
 * Logs a person in: a new session under a new token, never the one the browser came with.
 * @throws HttpError 401, the same for an unknown e-mail, a wrong password and a deactivated person
 */
export async function logIn(core: Core, email: string, password: string): Promise<{ person: Person; cookie: string }> {
  const person = await core.db
    .getRepository(Person)
    .createQueryBuilder('p')
    .where('lower(p.email) = lower(:email)', { email })
    .getOne()
  const right = await isPassword(person?.passwordHash, password)
  if (!person || !right || !person.active) throw new HttpError(401, 'The e-mail or the password is wrong')
  const { token, header } = createSessionCookie(core.config)
  await pool(core.db).query({
    text: `INSERT INTO sessions (token_hash, person_id, expires_at) VALUES ($1, $2, now() + make_interval(hours => $3))`,
    values: [sha256(token), person.id, core.config.SESSION_TTL_HOURS],
  })
  return { person, cookie: header }
}

/** Ends one session. */
export async function logOut({ db }: Core, tokenHash: Buffer): Promise<void> {
  await pool(db).query({ text: 'DELETE FROM sessions WHERE token_hash = $1', values: [tokenHash] })
}

/** Removes sessions that have ended by themselves. */
export async function removeEndedSessions({ db }: Core): Promise<void> {
  await pool(db).query({ text: 'DELETE FROM sessions WHERE expires_at < now()' })
}

/** The keys in force, newest first. */
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

/** Makes a key: the only moment it is known in full. */
export async function createApiKey({ db }: Core, name: string): Promise<{ apiKey: ApiKey; key: string }> {
  const key = `svc_${randomSecret()}`
  const keys = db.getRepository(ApiKey)
  const apiKey = keys.create({
    id: newId(),
    name,
    prefix: key.slice(0, 10),
    keyHash: sha256(key),
    createdAt: new Date(),
    lastUsedAt: null,
    revokedAt: null,
  })
  await keys.insert(apiKey)
  return { apiKey, key }
}

/** Revokes a key for good. @throws HttpError 404 */
export async function revokeApiKey({ db }: Core, id: string): Promise<void> {
  const { rowCount } = await pool(db).query({
    text: 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL',
    values: [id],
  })
  if (rowCount === 0) throw notFound('There is no such key in force')
}
