import type { Sql } from '../db/sql.ts'
import type { Config } from '../config/config.ts'
import type { Core, QueueInfo } from '../core.ts'
import type { Message } from '../lib/messages.ts'
import { formatReason, toStoredReason, type StoredReason } from '../lib/stored-reason.ts'
import type { QueuePauseJson } from './schema.ts'

/** Limits the probes of a queue to one an hour. A probe is a job that tests whether an automatically paused queue can resume. */
export const QUEUE_PROBE_INTERVAL_SECONDS = 3600

interface QueuePause {
  since: Date
  /** Reason of the service; null if a person paused the queue. */
  reason: string | null
  reasonCode: string | null
  /** Time of the next probe; null if only a person can resume the queue. */
  retryAt: Date | null
}

/** Identifies an automatic pause by its queue and the hash of the configuration that caused it. */
export interface AutomaticQueuePause {
  name: string
  cause: string
}

/**
 * Returns true if a person or the service paused the queue or step with this name. Also counts pauses by an outdated
 * configuration.
 */
export async function isQueuePaused(sql: Sql, name: string): Promise<boolean> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM paused_queues WHERE name = $1', values: [name] })
  return rowCount === 1
}

/**
 * Pauses or resumes a queue or step for a person, in all processes. Pausing turns an automatic pause into a manual one. @returns
 * true if anything changed
 */
export async function setQueuePaused(sql: Sql, name: string, paused: boolean): Promise<boolean> {
  const text = paused
    ? `INSERT INTO paused_queues AS p (name) VALUES ($1)
       ON CONFLICT (name) DO UPDATE SET cause = NULL, reason = NULL, reason_code = NULL, probe_at = NULL, paused_at = now()
        WHERE p.cause IS NOT NULL`
    : 'DELETE FROM paused_queues WHERE name = $1'
  const { rowCount } = await sql.query({ text, values: [name] })
  return rowCount === 1
}

/**
 * Pauses a queue because of its configuration, with the first probe in an hour. Renews an automatic pause; keeps a manual one
 * unchanged.
 */
export async function pauseQueueAutomatically(
  sql: Sql,
  { name, cause }: AutomaticQueuePause,
  reason: Message,
  code?: string,
) {
  await sql.query({
    text: `INSERT INTO paused_queues AS p (name, cause, reason, reason_code, message_json, probe_at)
           VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => ${QUEUE_PROBE_INTERVAL_SECONDS}))
           ON CONFLICT (name) DO UPDATE SET cause = excluded.cause, reason = excluded.reason,
                  reason_code = excluded.reason_code, message_json = excluded.message_json, probe_at = excluded.probe_at,
                  paused_at = CASE WHEN p.cause = excluded.cause THEN p.paused_at ELSE now() END
            WHERE p.cause IS NOT NULL`,
    values: [name, cause, reason.text, code ?? null, toStoredReason(reason)],
  })
}

/**
 * Ends an automatic pause after a successful request, unless the request began before the pause. @param sentAt start of the
 * request
 */
export async function endAutomaticQueuePause(
  sql: Sql,
  { name, cause }: AutomaticQueuePause,
  sentAt: Date,
): Promise<void> {
  await sql.query({
    text: 'DELETE FROM paused_queues WHERE name = $1 AND cause = $2 AND paused_at < $3',
    values: [name, cause, sentAt],
  })
}

/** Makes the next probe of an automatically paused queue due now. */
export async function makeQueueProbeDue(sql: Sql, name: string): Promise<void> {
  const text = 'UPDATE paused_queues SET probe_at = now() WHERE name = $1 AND cause IS NOT NULL'
  await sql.query({ text, values: [name] })
}

/**
 * Ends automatic pauses that a different configuration caused. Call this when a process starts, because a new configuration can
 * have fixed the cause.
 */
export async function endOutdatedQueuePauses({ pool, config, log, queues }: Core): Promise<void> {
  for (const queue of queues) {
    const { rowCount } = await pool.query({
      text: 'DELETE FROM paused_queues WHERE name = $1 AND cause IS DISTINCT FROM $2 AND cause IS NOT NULL',
      values: [queue.name, queuePauseCauseOf(queue, config)],
    })
    if (rowCount) log.info({ queue: queue.name }, 'the configuration has changed: the queue resumes')
  }
}

/** Returns the hash of the configuration that can pause the queue automatically; null if the service never pauses it. */
export const queuePauseCauseOf = (queue: QueueInfo | undefined, config: Config): string | null =>
  queue?.pauseCause?.(config) ?? null

/** Loads the pauses by the name of the queue or step. Skips automatic pauses that a different configuration caused. */
export async function loadQueuePauses({ pool, config, queues }: Core): Promise<ReadonlyMap<string, QueuePause>> {
  const { rows } = await pool.query<
    QueuePause & { name: string; cause: string | null; messageJson: StoredReason | null }
  >({
    text: `SELECT name, cause, paused_at AS since, reason, reason_code AS "reasonCode", probe_at AS "retryAt",
                  message_json AS "messageJson"
             FROM paused_queues`,
  })
  const active = rows.filter(({ name, cause }) => {
    const queue = queues.find((one) => one.name === name)
    return cause === null || cause === queuePauseCauseOf(queue, config)
  })
  return new Map(
    active.map(({ name, since, reason, reasonCode, retryAt, messageJson }) => [
      name,
      { since, reason: formatReason(reason, messageJson), reasonCode, retryAt },
    ]),
  )
}

/** Converts a pause to the JSON of the API; null if the queue is not paused. */
export const presentQueuePause = (pause: QueuePause | undefined): QueuePauseJson | null =>
  pause
    ? { since: pause.since.toISOString(), reason: pause.reason, retryAt: pause.retryAt?.toISOString() ?? null }
    : null
