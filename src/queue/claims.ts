import { randomUUID } from 'node:crypto'
import type { Sql } from '../db.ts'

/**
 * Background work is a row with the columns status, priority, attempts, next_attempt_at, attempt_token, lease_until,
 * started_at and last_error. A worker claims the best due row under a fresh attempt token and keeps its lease alive;
 * whatever it writes is conditional on that token, so a worker that lost its claim (stalled, cancelled, deleted)
 * writes nothing. All times are the database's: the clocks of the workers do not matter.
 */
export interface WorkTable {
  table: 'recordings' | 'deliveries'
  /** The queue's name, by which it is paused. */
  queue: 'transcription' | 'callbacks'
  /** The order in which due rows are taken, as SQL. */
  order: string
  /** Due rows that must wait all the same, as SQL. */
  blockedWhen?: string
  /** Columns that a row which waits again must not show any more, as SQL. */
  resetColumns?: string
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

/** Takes the best due row. Two workers never get the same one; a paused queue gives none. */
export async function claimJob(sql: Sql, { table, queue, order, blockedWhen }: WorkTable): Promise<Claim | undefined> {
  const token = randomUUID()
  const { rows } = await sql.query<{ id: string; attempts: number }>({
    name: `claim-${table}`,
    text: `
      UPDATE ${table} SET status = 'PROCESSING', attempts = attempts + 1, attempt_token = $1, started_at = now(),
             lease_until = now() + make_interval(secs => $2)
       WHERE id = (SELECT id FROM ${table} WHERE status = 'QUEUED' AND next_attempt_at <= now()
                       AND NOT EXISTS (SELECT FROM paused_queues WHERE name = '${queue}')
                      ${blockedWhen ? `AND NOT (${blockedWhen})` : ''}
                    ORDER BY ${order} LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempts`,
    values: [token, LEASE_SECONDS],
  })
  return rows[0] && { id: rows[0].id, token, attempt: rows[0].attempts }
}

/** Gives a claim back as if it had never been taken: due at once, the attempt not counted. */
export async function release(sql: Sql, work: WorkTable, claim: Claim): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${work.table} SET ${waitingAgain(work)}, attempts = attempts - 1, next_attempt_at = now()
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
  work: WorkTable,
  claim: Claim,
  firstPauseSeconds: number,
  error: string,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${work.table} SET ${waitingAgain(work)}, next_attempt_at = now() + make_interval(secs => $3), last_error = $4
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [claim.id, claim.token, firstPauseSeconds * 2 ** (claim.attempt - 1), error],
  })
  return rowCount === 1
}

function waitingAgain({ resetColumns }: WorkTable): string {
  const columns = `status = 'QUEUED', started_at = NULL, attempt_token = NULL, lease_until = NULL`
  return resetColumns ? `${columns}, ${resetColumns}` : columns
}

/**
 * Takes over the claims whose worker has shown no sign of life for the length of the lease. They get a fresh token,
 * so a worker that wakes up after all has lost its claim for certain, and two takers never get the same one.
 */
export async function rescueExpired(sql: Sql, { table }: WorkTable): Promise<Claim[]> {
  const { rows } = await sql.query<{ id: string; attempt_token: string; attempts: number }>({
    text: `
      UPDATE ${table} SET attempt_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1)
       WHERE id IN (SELECT id FROM ${table} WHERE status = 'PROCESSING' AND lease_until < now()
                     LIMIT 100 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempt_token, attempts`,
    values: [LEASE_SECONDS],
  })
  return rows.map((row) => ({ id: row.id, token: row.attempt_token, attempt: row.attempts }))
}

/** No wait above this is believed, unless attempts and pauses are set to make longer ones. */
const LONGEST_WAIT_SECONDS = 3600

/**
 * Undoes what a clock of the database that was set back did to those who wait: what is due later than any pause of ours
 * lasts is due now, and a claim that stands longer than a lease ends with a lease from now, unless its worker lives.
 * @param firstPauseSeconds,attempts what makes the longest pause
 */
export async function doubtLongWaits(
  sql: Sql,
  { table }: WorkTable,
  firstPauseSeconds: number,
  attempts: number,
): Promise<number> {
  const { rowCount } = await sql.query({
    text: `
      UPDATE ${table}
         SET next_attempt_at = CASE status WHEN 'QUEUED' THEN now() ELSE next_attempt_at END,
             lease_until = CASE status WHEN 'PROCESSING' THEN now() + make_interval(secs => $2) END
       WHERE (status = 'QUEUED' AND next_attempt_at > now() + make_interval(secs => $1))
          OR (status = 'PROCESSING' AND lease_until > now() + make_interval(secs => 2 * $2))`,
    values: [Math.max(LONGEST_WAIT_SECONDS, firstPauseSeconds * 2 ** (attempts - 1)), LEASE_SECONDS],
  })
  return rowCount!
}
