import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { notFoundError } from '../../platform/errors.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { getCurrentRequestTrace } from '../../platform/lib/log.ts'
import { createSessionCookie } from './session-cookie.ts'
import { authMessages } from './messages.ts'

interface SessionRow {
  id: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
  address: string | null
  userAgent: string | null
  current: boolean
}

/** The User-Agent only helps people recognise a session, so we truncate it and do not trust it. */
const MAX_USER_AGENT_CHARS = 500

/** Inserts a session with a new token. @returns the Set-Cookie header and the SHA-256 of the token */
export async function insertSession(
  { config }: Core,
  sql: Sql,
  personId: string,
  userAgent: string,
): Promise<{ header: string; sessionHash: Buffer }> {
  const { token, header } = createSessionCookie(config)
  const sessionHash = sha256(token)
  await sql.query({
    text: `INSERT INTO sessions (token_hash, person_id, expires_at, address, user_agent, id)
           VALUES ($1, $2, now() + make_interval(hours => $3), $4, $5, $6)`,
    values: [
      sessionHash,
      personId,
      config.SESSION_TTL_HOURS,
      getCurrentRequestTrace()?.address,
      userAgent.slice(0, MAX_USER_AGENT_CHARS) || null,
      generateId(),
    ],
  })
  return { header, sessionHash }
}

/** Lists the sessions of the person that have not expired: the current one first, then by last use. */
export async function listSessions({ pool }: Core, { person, sessionHash }: PersonActor): Promise<SessionRow[]> {
  const { rows } = await pool.query<SessionRow>({
    text: `SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt", address,
                  user_agent AS "userAgent", token_hash = $2 AS current
             FROM sessions WHERE person_id = $1 AND expires_at > now()
            ORDER BY current DESC, last_seen_at DESC, id`,
    values: [person.id, sessionHash],
  })
  return rows
}

/**
 * Ends one session of the person. @returns `current`: true if it is the session of this request
 * @throws HttpError 404 for an unknown session or one of another person
 */
export async function endSession({ db }: Core, actor: PersonActor, id: string): Promise<{ current: boolean }> {
  return runInTransaction(db, async (sql) => {
    const { rows } = await sql.query<{ current: boolean }>({
      text: `DELETE FROM sessions WHERE id = $1 AND person_id = $2 AND expires_at > now()
             RETURNING token_hash = $3 AS current`,
      values: [id, actor.person.id, actor.sessionHash],
    })
    if (!rows[0]) throw notFoundError(authMessages.noSession())
    await recordAuditChange(sql, actor, { action: 'session.end', object: { type: 'session', id: id.toLowerCase() } })
    return rows[0]
  })
}

/** Ends all sessions of the person except the current one, and records their number in the audit log. */
export async function endOtherSessions({ db }: Core, actor: PersonActor): Promise<void> {
  await runInTransaction(db, async (sql) => {
    const endedCount = await deleteOtherSessions(sql, actor)
    if (endedCount > 0) await recordAuditChange(sql, actor, { action: 'session.end', details: { others: endedCount } })
  })
}

/** Deletes all sessions of the person except the current one. @returns the number of deleted sessions */
export async function deleteOtherSessions(sql: Sql, { person, sessionHash }: PersonActor): Promise<number> {
  const { rowCount } = await sql.query({
    text: 'DELETE FROM sessions WHERE person_id = $1 AND token_hash <> $2',
    values: [person.id, sessionHash],
  })
  return rowCount ?? 0
}

/** Prevents parallel requests of one session from writing the same last use. */
const pendingSessionUpdates = new Set<string>()

/** Limits the writes of a session's last use. A write per request costs more, and lists of sessions do not need it. */
export const SESSION_LAST_SEEN_INTERVAL_SQL = `interval '1 minute'`

/** Writes the time and address of a session's use in the background. Requests neither wait for the write nor fail with it. */
export function recordSessionUse({ pool, log }: Core, sessionHash: Buffer): void {
  const session = sessionHash.toString('base64')
  if (pendingSessionUpdates.has(session)) return
  pendingSessionUpdates.add(session)
  pool
    .query({
      text: `UPDATE sessions SET last_seen_at = now(), address = coalesce($2, address)
              WHERE token_hash = $1 AND last_seen_at < now() - ${SESSION_LAST_SEEN_INTERVAL_SQL}`,
      values: [sessionHash, getCurrentRequestTrace()?.address],
    })
    .catch((error: Error) => log.warn({ reason: error.message }, 'the last use of a session was not stored'))
    .finally(() => pendingSessionUpdates.delete(session))
}
