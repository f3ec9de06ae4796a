import type { Config } from '../config.ts'
import type { Core } from '../core.ts'
import type { Sql } from '../db.ts'
import type { Message } from '../lib/messages.ts'
import type { Queue } from './queue.ts'
import { noteReason } from './reasons.ts'
import type { PauseJson } from './schema.ts'

/** How often a queue that the service paused lets one job try whether it can go on, in seconds. */
export const PROBE_SECONDS = 3600

/** Why a queue begins nothing new. */
export interface Pause {
  since: Date
  /** Why the service paused it; null where a person did. */
  reason: string | null
  /** The reason as a code, where there is one. */
  reasonCode: string | null
  /** When one job tries again; null where only a person resumes it. */
  retryAt: Date | null
}

/** The queue of an automatic pause, and the hash of the configuration that it belongs to. */
export interface PauseOf {
  name: string
  cause: string
}

/** Whether the queue or step of this name begins nothing new. */
export async function isPausedByName(sql: Sql, name: string): Promise<boolean> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM paused_queues WHERE name = $1', values: [name] })
  return rowCount === 1
}

/**
 * Pauses the queue or step of this name in all processes, or lets it go on; returns whether that changed anything. A person
 * takes over an automatic pause: it then lasts until a person resumes the queue.
 */
export async function setPaused(sql: Sql, name: string, paused: boolean): Promise<boolean> {
  const text = paused
    ? `INSERT INTO paused_queues AS p (name) VALUES ($1)
       ON CONFLICT (name) DO UPDATE SET cause = NULL, reason = NULL, reason_code = NULL, probe_at = NULL, paused_at = now()
        WHERE p.cause IS NOT NULL`
    : 'DELETE FROM paused_queues WHERE name = $1'
  const { rowCount } = await sql.query({ text, values: [name] })
  return rowCount === 1
}

/** Pauses a queue for a reason that lies in the configuration. A pause by a person stays as it is. */
export async function pauseAutomatically(sql: Sql, { name, cause }: PauseOf, why: Message, code?: string) {
  await noteReason(sql, why)
  await sql.query({
    text: `INSERT INTO paused_queues AS p (name, cause, reason, reason_code, probe_at)
           VALUES ($1, $2, $3, $4, now() + make_interval(secs => ${PROBE_SECONDS}))
           ON CONFLICT (name) DO UPDATE SET cause = excluded.cause, reason = excluded.reason,
                  reason_code = excluded.reason_code, probe_at = excluded.probe_at,
                  paused_at = CASE WHEN p.cause = excluded.cause THEN p.paused_at ELSE now() END
            WHERE p.cause IS NOT NULL`,
    values: [name, cause, why.text, code ?? null],
  })
}

/**
 * Ends an automatic pause, because what it waited for works again.
 * @param sentAt when the request that showed it was sent: one sent before the pause shows nothing
 */
export async function liftPause(sql: Sql, { name, cause }: PauseOf, sentAt: Date): Promise<void> {
  await sql.query({
    name: 'lift-pause',
    text: 'DELETE FROM paused_queues WHERE name = $1 AND cause = $2 AND paused_at < $3',
    values: [name, cause, sentAt],
  })
}

/** Lets the next job probe: the last one ended without showing whether the queue can go on. */
export async function probeAgain(sql: Sql, name: string): Promise<void> {
  const text = 'UPDATE paused_queues SET probe_at = now() WHERE name = $1 AND cause IS NOT NULL'
  await sql.query({ text, values: [name] })
}

/** Ends the automatic pauses that belong to another configuration than that of this process. */
export async function liftOutdatedPauses({ pool, config, log, queues }: Core): Promise<void> {
  for (const queue of queues) {
    const { rowCount } = await pool.query({
      text: 'DELETE FROM paused_queues WHERE name = $1 AND cause IS DISTINCT FROM $2 AND cause IS NOT NULL',
      values: [queue.name, causeOf(queue, config)],
    })
    if (rowCount) log.info({ queue: queue.name }, 'the configuration has changed: the queue goes on')
  }
}

/** The hash of the configuration that an automatic pause of a queue belongs to; null where the service never pauses it. */
export const causeOf = (queue: Queue | undefined, config: Config): string | null => queue?.pauseCause?.(config) ?? null

/** The queues that are paused for this process, by name: a pause that belongs to another configuration is none. */
export async function readPauses({ pool, config, queues }: Core): Promise<ReadonlyMap<string, Pause>> {
  const { rows } = await pool.query<Pause & { name: string; cause: string | null }>({
    name: 'pauses',
    text: `SELECT name, cause, paused_at AS since, reason, reason_code AS "reasonCode", probe_at AS "retryAt"
             FROM paused_queues`,
  })
  const holds = rows.filter(({ name, cause }) => {
    const queue = queues.find((one) => one.name === name)
    return cause === null || cause === causeOf(queue, config)
  })
  return new Map(
    holds.map(({ name, since, reason, reasonCode, retryAt }) => [name, { since, reason, reasonCode, retryAt }]),
  )
}

/** A pause as the API shows it. */
export const presentPause = (pause: Pause | undefined): PauseJson | null =>
  pause
    ? { since: pause.since.toISOString(), reason: pause.reason, retryAt: pause.retryAt?.toISOString() ?? null }
    : null
