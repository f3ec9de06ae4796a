import type { ActingPerson, Actor, PersonActor } from '../../platform/http/actor.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from '../../platform/core.ts'
import { unauthorizedError, forbiddenError } from '../../platform/errors.ts'
import { createBatchLoader } from '../../platform/lib/batch-loader.ts'
import { VISIBLE_MANAGER_IDS_SQL } from '../managers/visibility.ts'
import { PERSON_COLUMNS_SQL } from '../people/present.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { parseSessionCookie } from './session-cookie.ts'
import { recordSessionUse, SESSION_LAST_SEEN_INTERVAL_SQL } from './sessions.ts'
import { canUseSeeAs, SEE_AS_HEADER } from '../../platform/http/access.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { authMessages } from './messages.ts'

/** Limits the writes of an API key's last use to one a minute. A write per request costs more, and lists of keys do not need it. */
const LAST_USE_INTERVAL_MS = 60_000
const lastUseWrittenAt = new Map<string, number>()

/**
 * Returns the caller of a request: an API key, a person, or nobody without credentials.
 * Loads the key or session on every request, so that a revocation takes effect on the next one.
 * @throws HttpError 401 for invalid credentials
 */
export async function authenticateRequest(core: Core, headers: IncomingHttpHeaders): Promise<Actor> {
  const key = parseApiKeyHeader(headers)
  if (key !== undefined) return authenticateApiKey(core, key)
  const token = parseSessionCookie(core.config, headers.cookie)
  return token === undefined ? { kind: 'nobody' } : authenticateSession(core, token)
}

/** Returns the key of X-API-Key or Authorization: Bearer. Another Authorization header gives '', which no key matches. */
function parseApiKeyHeader(headers: IncomingHttpHeaders): string | undefined {
  const apiKeyHeader = headers['x-api-key']
  if (apiKeyHeader !== undefined) return String(apiKeyHeader)
  if (headers.authorization === undefined) return undefined
  return /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1] ?? ''
}

/**
 * Loads keys in batches, because requests of one integration arrive together. Single queries make reading a recording twice as
 * slow.
 */
const loadApiKey = createBatchLoader(async (core: Core, hashes) => {
  const { rows } = await core.pool.query<{ id: string; name: string; hash: string }>({
    text: `SELECT id, name, encode(key_hash, 'hex') AS hash FROM api_keys
            WHERE key_hash = ANY (SELECT decode(h, 'hex') FROM unnest($1::text[]) h) AND revoked_at IS NULL`,
    values: [[...new Set(hashes)]],
  })
  return hashes.map((hash) => rows.find((row) => row.hash === hash))
})

async function authenticateApiKey(core: Core, key: string): Promise<Actor> {
  const found = await loadApiKey(core, sha256(key).toString('hex'))
  if (!found) throw unauthorizedError()
  recordKeyUse(core, found.id)
  return { kind: 'key', id: found.id, name: found.name }
}

/** Writes the last use in the background, at most once a minute. Requests neither wait for the write nor fail with it. */
function recordKeyUse(core: Core, keyId: string): void {
  const now = Date.now()
  if (now - (lastUseWrittenAt.get(keyId) ?? 0) < LAST_USE_INTERVAL_MS) return
  lastUseWrittenAt.set(keyId, now)
  core.pool
    .query({ text: 'UPDATE api_keys SET last_used_at = now() WHERE id = $1', values: [keyId] })
    .catch((error: Error) => {
      lastUseWrittenAt.delete(keyId)
      core.log.warn({ reason: error.message }, 'the last use of a key was not stored')
    })
}

/**
 * Finds an active person by id, with the ids of the managers they can see. @returns undefined for an unknown or deactivated
 * person
 */
async function findActingPerson(core: Core, id: string): Promise<ActingPerson | undefined> {
  const { rows } = await core.pool.query<ActingPerson>({
    text: `SELECT ${PERSON_COLUMNS_SQL}, ${VISIBLE_MANAGER_IDS_SQL} AS "seenManagers" FROM people p WHERE p.id = $1 AND p.active`,
    values: [id],
  })
  return rows[0]
}

/** Finds an active person by id as an actor without a session, for work in the background. */
export async function findPersonActor(core: Core, id: string): Promise<PersonActor | undefined> {
  const person = await findActingPerson(core, id)
  return person && { kind: 'person', person, sessionHash: Buffer.alloc(0) }
}

async function authenticateSession(core: Core, token: string): Promise<Actor> {
  const sessionHash = sha256(token)
  const { rows } = await core.pool.query<ActingPerson & { unseen: boolean }>({
    text: `SELECT ${PERSON_COLUMNS_SQL}, ${VISIBLE_MANAGER_IDS_SQL} AS "seenManagers", s.last_seen_at < now() - ${SESSION_LAST_SEEN_INTERVAL_SQL} AS unseen
             FROM sessions s JOIN people p ON p.id = s.person_id
            WHERE s.token_hash = $1 AND s.expires_at > now() AND p.active`,
    values: [sessionHash],
  })
  if (!rows[0]) throw unauthorizedError()
  const { unseen: isUseOutdated, ...person } = rows[0]
  if (isUseOutdated) recordSessionUse(core, sessionHash)
  return { kind: 'person', person, sessionHash }
}

/**
 * Returns an actor with the view of the person in the X-See-As header, or the actor itself without the header.
 * @throws HttpError 403 unless an owner reads, and the person is active and no owner
 */
export async function applySeeAsHeader(
  core: Core,
  actor: Actor,
  operation: Pick<Operation, 'id' | 'method' | 'access'>,
  headers: IncomingHttpHeaders,
): Promise<Actor> {
  const id = headers[SEE_AS_HEADER.toLowerCase()]
  if (id === undefined || actor.kind === 'nobody') return actor
  if (actor.kind !== 'person' || actor.person.role !== 'owner')
    throw forbiddenError(authMessages.seeAsOwners({ header: SEE_AS_HEADER }))
  if (!canUseSeeAs(operation)) throw forbiddenError(authMessages.seeAsReads({ header: SEE_AS_HEADER }))
  const person = typeof id === 'string' && isUuid(id) ? await findActingPerson(core, id) : undefined
  if (!person || person.role === 'owner') throw forbiddenError(authMessages.seeAsWhom({ header: SEE_AS_HEADER }))
  const { language } = actor.person
  const rights = { ...person.rights, manageRecordings: false, editRules: false }
  return { ...actor, person: { ...person, rights, language, mustChangePassword: false }, viewer: actor.person }
}
