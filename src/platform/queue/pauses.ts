import type { Sql } from '../db/sql.ts'
import type { Config } from '../config/config.ts'
import type { Core, QueueInfo } from '../core.ts'
import type { Message } from '../lib/messages.ts'
import { formatReason, toStoredReason, type StoredReason } from '../lib/stored-reason.ts'
import type { PauseJson } from './schema.ts'

/** Seconds between probes: one job of an automatically paused queue that tests whether the queue can resume. */
export const PROBE_INTERVAL_SECONDS = 3600

/** Why and since when a queue is paused. */
interface QueuePause {
  since: Date
  /** Why the service paused it; null if a person paused it. */
  reason: string | null
  /** The code of the reason, if there is one. */
  reasonCode: string | null
  /** When the next job probes; null if only a person can resume it. */
  retryAt: Date | null
}

/** Identifies an automatic pause: its queue and the hash of the configuration that caused it. */
export interface AutomaticPause {
  name: string
  cause: string
}

/** Whether the queue or step of this name is paused. */
export async function isQueuePaused(sql: Sql, name: string): Promise<boolean> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM paused_queues WHERE name = $1', values: [name] })
  return rowCount === 1
}

/** Pauses or resumes in all processes; returns whether that changed anything. An automatic pause becomes a person's. */
export async function setPaused(sql: Sql, name: string, paused: boolean): Promise<boolean> {
  const text = paused
    ? `INSERT INTO paused_queues AS p (name) VALUES ($1)
       ON CONFLICT (name) DO UPDATE SET cause = NULL, reason = NULL, reason_code = NULL, probe_at = NULL, paused_at = now()
        WHERE p.cause IS NOT NULL`
    : 'DELETE FROM paused_queues WHERE name = $1'
  const { rowCount } = await sql.query({ text, values: [name] })
  return rowCount === 1
}

/** Pauses a queue because of its configuration. A person's pause stays unchanged. */
export async function pauseAutomatically(sql: Sql, { name, cause }: AutomaticPause, reason: Message, code?: string) {
  await sql.query({
    text: `INSERT INTO paused_queues AS p (name, cause, reason, reason_code, message_json, probe_at)
           VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => ${PROBE_INTERVAL_SECONDS}))
           ON CONFLICT (name) DO UPDATE SET cause = excluded.cause, reason = excluded.reason,
                  reason_code = excluded.reason_code, message_json = excluded.message_json, probe_at = excluded.probe_at,
                  paused_at = CASE WHEN p.cause = excluded.cause THEN p.paused_at ELSE now() END
            WHERE p.cause IS NOT NULL`,
    values: [name, cause, reason.text, code ?? null, toStoredReason(reason)],
  })
}

/** Ends an automatic pause after a successful request. @param sentAt a request sent before the pause proves nothing */
export async function endAutomaticPause(sql: Sql, { name, cause }: AutomaticPause, sentAt: Date): Promise<void> {
  await sql.query({
    text: 'DELETE FROM paused_queues WHERE name = $1 AND cause = $2 AND paused_at < $3',
    values: [name, cause, sentAt],
  })
}

/** Makes the next probe due now, because the last one ended without a result. */
export async function makeProbeDue(sql: Sql, name: string): Promise<void> {
  const text = 'UPDATE paused_queues SET probe_at = now() WHERE name = $1 AND cause IS NOT NULL'
  await sql.query({ text, values: [name] })
}

/** Ends the automatic pauses that another configuration than this process's caused. */
export async function endOutdatedPauses({ pool, config, log, queues }: Core): Promise<void> {
  for (const queue of queues) {
    const { rowCount } = await pool.query({
      text: 'DELETE FROM paused_queues WHERE name = $1 AND cause IS DISTINCT FROM $2 AND cause IS NOT NULL',
      values: [queue.name, pauseCauseOf(queue, config)],
    })
    if (rowCount) log.info({ queue: queue.name }, 'the configuration has changed: the queue resumes')
  }
}

/** Returns the hash of the configuration for automatic pauses of a queue; null if the service never pauses it. */
export const pauseCauseOf = (queue: QueueInfo | undefined, config: Config): string | null =>
  queue?.pauseCause?.(config) ?? null

/** Reads the pauses that apply to this process, by queue: those that another configuration caused do not. */
export async function loadPauses({ pool, config, queues }: Core): Promise<ReadonlyMap<string, QueuePause>> {
  const { rows } = await pool.query<
    QueuePause & { name: string; cause: string | null; messageJson: StoredReason | null }
  >({
    text: `SELECT name, cause, paused_at AS since, reason, reason_code AS "reasonCode", probe_at AS "retryAt",
                  message_json AS "messageJson"
             FROM paused_queues`,
  })
  const active = rows.filter(({ name, cause }) => {
    const queue = queues.find((one) => one.name === name)
    return cause === null || cause === pauseCauseOf(queue, config)
  })
  return new Map(
    active.map(({ name, since, reason, reasonCode, retryAt, messageJson }) => [
      name,
      { since, reason: formatReason(reason, messageJson), reasonCode, retryAt },
    ]),
  )
}

/** Formats a pause for the API. */
export const presentPause = (pause: QueuePause | undefined): PauseJson | null =>
  pause
    ? { since: pause.since.toISOString(), reason: pause.reason, retryAt: pause.retryAt?.toISOString() ?? null }
    : null
