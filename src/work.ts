import { randomUUID } from 'node:crypto'
import type { Sql } from './db.ts'

/**
 * Background work is a row with the columns status, priority, attempts, next_attempt_at, attempt_token, lease_until,
 * started_at and last_error. A worker claims the best due row under a fresh attempt token and keeps its lease alive;
 * whatever it writes is conditional on that token, so a worker that lost its claim (stalled, cancelled, deleted)
 * writes nothing. All times are the database's: the clocks of the workers do not matter.
 */
export interface WorkTable {
  table: 'recordings' | 'deliveries'
  /** The queue's name, for logs. */
  queue: 'transcription' | 'callbacks'
}

/** What a worker holds while it works. */
export interface Claim {
  id: string
  token: string
  /** Number of this attempt, from 1. */
  attempt: number
}

/** How long a claim stands without a sign of life, in seconds. */
export const LEASE_SECONDS = 30

/** Takes the best due row: highest priority, then oldest. Two workers never get the same one. */
export async function claimNext(sql: Sql, { table }: WorkTable): Promise<Claim | undefined> {
  const token = randomUUID()
  const { rows } = await sql.query<{ id: string; attempts: number }>({
    name: `claim-${table}`,
    text: `
      UPDATE ${table} SET status = 'PROCESSING', attempts = attempts + 1, attempt_token = $1, started_at = now(),
             lease_until = now() + make_interval(secs => $2)
       WHERE id = (SELECT id FROM ${table} WHERE status = 'QUEUED' AND next_attempt_at <= now()
                    ORDER BY priority DESC, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempts`,
    values: [token, LEASE_SECONDS],
  })
  return rows[0] && { id: rows[0].id, token, attempt: rows[0].attempts }
}

/** Keeps the claim alive. False: the claim is lost, and the work must stop. */
export async function renewLease(sql: Sql, { table }: WorkTable, claim: Claim): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: `renew-${table}`,
    text: `UPDATE ${table} SET lease_until = now() + make_interval(secs => $3)
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token, LEASE_SECONDS],
  })
  return rowCount === 1
}

/** Gives a claim back as if it had never been taken: due at once, the attempt not counted. */
export async function handBack(sql: Sql, { table }: WorkTable, claim: Claim): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${table} SET status = 'QUEUED', attempts = attempts - 1, next_attempt_at = now(), started_at = NULL,
                  attempt_token = NULL, lease_until = NULL
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token],
  })
  return rowCount === 1
}

/**
 * Puts a failed attempt back into the queue, due after its pause.
 * @param firstPauseSeconds pause after the first attempt; doubled after each further one
 */
export async function retryLater(
  sql: Sql,
  { table }: WorkTable,
  claim: Claim,
  firstPauseSeconds: number,
  error: string,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${table} SET status = 'QUEUED', next_attempt_at = now() + make_interval(secs => $3), started_at = NULL,
                  attempt_token = NULL, lease_until = NULL, last_error = $4
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token, firstPauseSeconds * 2 ** (claim.attempt - 1), error],
  })
  return rowCount === 1
}

/** Claims whose worker has shown no sign of life for the length of the lease. */
export async function expiredClaims(sql: Sql, { table }: WorkTable): Promise<Claim[]> {
  const { rows } = await sql.query<{ id: string; attempt_token: string; attempts: number }>({
    text: `SELECT id, attempt_token, attempts FROM ${table} WHERE status = 'PROCESSING' AND lease_until < now() LIMIT 100`,
  })
  return rows.map((row) => ({ id: row.id, token: row.attempt_token, attempt: row.attempts }))
}
