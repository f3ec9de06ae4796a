import type { Sql } from '../db/sql.ts'
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Message } from '../lib/messages.ts'
import { toStoredReason } from '../lib/stored-reason.ts'
import { QUEUE_PROBE_INTERVAL_SECONDS } from './pauses.ts'
import type { JobClaim, JobFailedError, Queue } from './queue.ts'

/** Matches queued jobs whose time has come. claimJob() also checks `blockedWhen` and pauses. */
export const IS_JOB_DUE_SQL = `status = 'QUEUED' AND next_attempt_at <= now()`
export const HAS_EXPIRED_LEASE_SQL = `status = 'PROCESSING' AND lease_until < now()`

/**
 * Claims the first due job that is not blocked, in the order of the queue. Two workers never claim the same job.
 * In a queue that a person paused, no job is claimed; in one that the service paused, one probe an hour.
 * @param cause result of queuePauseCauseOf(); automatic pauses with another cause have no effect
 * @returns undefined if there is no such job
 */
export async function claimJob(sql: Sql, queue: Queue, cause: string | null = null): Promise<JobClaim | undefined> {
  const { name, table, order, blockedWhen, leaseSeconds } = queue
  const token = randomUUID()
  const isDue = `${IS_JOB_DUE_SQL} ${blockedWhen ? `AND NOT (${blockedWhen})` : ''}`
  const { rows } = await sql.query<{ id: string; attempts: number; isProbe: boolean }>({
    text: `
      WITH probe AS (
        UPDATE paused_queues SET probe_at = now() + make_interval(secs => ${QUEUE_PROBE_INTERVAL_SECONDS})
         WHERE name = '${name}' AND cause = $3 AND probe_at <= now() AND EXISTS (SELECT FROM ${table} WHERE ${isDue})
        RETURNING name)
      UPDATE ${table} SET status = 'PROCESSING', attempts = attempts + 1, attempt_token = $1, started_at = now(),
             lease_until = now() + make_interval(secs => $2)
       WHERE id = (SELECT id FROM ${table}
                    WHERE ${isDue}
                      AND (NOT EXISTS (SELECT FROM paused_queues WHERE name = '${name}' AND coalesce(cause = $3, true))
                        OR EXISTS (SELECT FROM probe))
                    ORDER BY ${order} LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempts, EXISTS (SELECT FROM probe) AS "isProbe"`,
    values: [token, leaseSeconds, cause],
  })
  return rows[0] && { queue, id: rows[0].id, token, attempt: rows[0].attempts, isProbe: rows[0].isProbe }
}

/** Renews the lease of a claim and stores its progress. @returns false if the claim is lost */
export async function renewJobLease(
  sql: Sql,
  { queue, id, token }: JobClaim,
  progress: Record<string, unknown>,
): Promise<boolean> {
  const { table, leaseSeconds, progressColumns = [] } = queue
  const set = progressColumns.map((column, n) => `, ${column} = coalesce($${n + 4}, ${column})`)
  const { rowCount } = await sql.query({
    text: `UPDATE ${table} SET lease_until = now() + make_interval(secs => $3)${set.join('')}
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token, leaseSeconds, ...progressColumns.map((column) => progress[column] ?? null)],
  })
  return rowCount === 1
}

/**
 * Releases a claim without counting the attempt. The job is due at once; with `delay`, it is due later and stores the reason of
 * the delay. @returns false if the claim is lost
 */
export async function releaseJobClaim(
  sql: Sql,
  { queue, id, token }: JobClaim,
  delay?: { seconds: number; reason: Message },
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${queue.table} SET ${formatRequeueSql(queue)}, attempts = attempts - 1,
                  next_attempt_at = now() + make_interval(secs => $3), last_error = coalesce($4, last_error),
                  message_json = coalesce($5, message_json)
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token, delay?.seconds ?? 0, delay?.reason.text, delay && toStoredReason(delay.reason)],
  })
  return rowCount === 1
}

/** Ends a job with a final status and sets `columns`. Clears last_error unless `columns` contains it. @returns false if the claim is lost */
export async function endJob(
  sql: Sql,
  { queue, id, token }: JobClaim,
  status: string,
  columns: Record<string, unknown> = {},
): Promise<boolean> {
  const names = Object.keys({ last_error: null, ...columns })
  const set = names.map((name, n) => `, ${name} = $${n + 4}`)
  const { rowCount } = await sql.query({
    text: `UPDATE ${queue.table} SET status = $3, finished_at = now(), attempt_token = NULL, lease_until = NULL${set.join('')}
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token, status, ...names.map((name) => columns[name] ?? null)],
  })
  return rowCount === 1
}

/** Returns true if the job fails for good: a permanent failure, or no attempts left. */
export const isLastAttempt = (config: Config, { queue, attempt }: JobClaim, { isPermanent }: JobFailedError): boolean =>
  isPermanent || attempt >= queue.attempts(config)

/** Returns the seconds before the next attempt. They double after each attempt. */
export const computeRetryPauseSeconds = (
  config: Config,
  { queue, attempt }: Pick<JobClaim, 'queue' | 'attempt'>,
): number => queue.firstPauseSeconds(config) * 2 ** (attempt - 1)

/** resetLongWaits() makes jobs that wait longer due, unless the longest configured pause is longer too. */
const MAX_WAIT_SECONDS = 3600

const computeMaxWaitSeconds = (config: Config, queue: Queue): number =>
  Math.max(MAX_WAIT_SECONDS, computeRetryPauseSeconds(config, { queue, attempt: queue.attempts(config) }))

/**
 * Requeues a failed job after a pause. Marks it FAILED and sets `columns` if the failure is permanent or no attempt is left.
 * Limits the pause to an hour, or to the longest configured pause if that is longer, because resetLongWaits() ends longer ones.
 * @returns 'lost' if the claim is lost
 */
export async function recordJobFailure(
  sql: Sql,
  config: Config,
  claim: JobClaim,
  failure: JobFailedError,
  columns: Record<string, unknown> = {},
  pauseSeconds = computeRetryPauseSeconds(config, claim),
): Promise<'retry' | 'failed' | 'lost'> {
  const isLast = isLastAttempt(config, claim, failure)
  const reason = { last_error: failure.message, message_json: toStoredReason(failure.reason) }
  const wasOwned = isLast
    ? await endJob(sql, claim, 'FAILED', { ...reason, ...columns })
    : await requeueLater(sql, claim, Math.min(pauseSeconds, computeMaxWaitSeconds(config, claim.queue)), failure.reason)
  return !wasOwned ? 'lost' : isLast ? 'failed' : 'retry'
}

async function requeueLater(
  sql: Sql,
  { queue, id, token }: JobClaim,
  pauseSeconds: number,
  reason: Message,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${queue.table} SET ${formatRequeueSql(queue)}, next_attempt_at = now() + make_interval(secs => $3), last_error = $4,
                  message_json = $5
            WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
    values: [id, token, pauseSeconds, reason.text, toStoredReason(reason)],
  })
  return rowCount === 1
}

function formatRequeueSql({ resetColumns }: Queue): string {
  const columns = `status = 'QUEUED', started_at = NULL, attempt_token = NULL, lease_until = NULL`
  return resetColumns ? `${columns}, ${resetColumns}` : columns
}

/** Requeues the retryable failed jobs of a queue and resets their attempts to 0. @returns the number of jobs */
export async function requeueFailedJobs(sql: Sql, queue: Queue): Promise<number> {
  const { rowCount } = await sql.query({
    text: `UPDATE ${queue.table} j
              SET ${formatRequeueSql(queue)}, attempts = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL
            WHERE j.status = 'FAILED' AND ${queue.retryable ?? 'true'}`,
  })
  return rowCount!
}

/**
 * Claims up to 100 jobs with an expired lease. New tokens invalidate the claims of late workers. `seconds` is the time since the
 * expired attempt began.
 */
export async function claimExpiredJobs(sql: Sql, queue: Queue): Promise<(JobClaim & { seconds: number })[]> {
  const { table, leaseSeconds } = queue
  const { rows } = await sql.query<{ id: string; attempt_token: string; attempts: number; seconds: number }>({
    text: `
      UPDATE ${table} SET attempt_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1)
       WHERE id IN (SELECT id FROM ${table} WHERE ${HAS_EXPIRED_LEASE_SQL}
                     LIMIT 100 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempt_token, attempts, greatest(extract(epoch FROM now() - started_at), 0)::float AS seconds`,
    values: [leaseSeconds],
  })
  return rows.map(({ id, attempt_token: token, attempts, seconds }) => ({
    queue,
    id,
    token,
    attempt: attempts,
    seconds,
  }))
}

/**
 * Ends waits and shortens leases that are too long because the database clock was set back. Claims of running workers stay valid.
 * @returns the number of changed jobs
 */
export async function resetLongWaits(sql: Sql, config: Config, queue: Queue): Promise<number> {
  const { rowCount } = await sql.query({
    text: `
      UPDATE ${queue.table}
         SET next_attempt_at = CASE status WHEN 'QUEUED' THEN now() ELSE next_attempt_at END,
             lease_until = CASE status WHEN 'PROCESSING' THEN now() + make_interval(secs => $2) END
       WHERE (status = 'QUEUED' AND next_attempt_at > now() + make_interval(secs => $1))
          OR (status = 'PROCESSING' AND lease_until > now() + make_interval(secs => 2 * $2))`,
    values: [computeMaxWaitSeconds(config, queue), queue.leaseSeconds],
  })
  return rowCount!
}
