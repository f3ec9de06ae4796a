import type { Core } from '../core.ts'
import type { Message } from '../lib/messages.ts'
import { NotReady } from '../queue/queue.ts'
import { noteReason } from '../queue/reasons.ts'

/** The row of settings that holds what the last trouble with the model was. */
const NAME = 'model-state'

interface State {
  /** Why the queue was paused by itself. */
  reason?: string
  /** What was done otherwise than the configuration says. */
  warning?: string
}

/** The model cannot be asked now, and why. */
export class ModelAway extends NotReady {}

/** Pauses the queue of checks, with the reason for people; the check waits as it is. */
export async function pauseFor(core: Core, why: Message): Promise<ModelAway> {
  const reason = why.text
  await noteReason(core.pool, why)
  await write(core, { reason })
  await core.pool.query({
    text: 'INSERT INTO paused_queues (name) VALUES ($1) ON CONFLICT DO NOTHING',
    values: ['analysis'],
  })
  core.log.error({ queue: 'analysis', reason }, 'the queue was paused')
  return new ModelAway(why, 10)
}

/** Keeps a warning for people. */
export async function warn(core: Core, why: Message): Promise<void> {
  const warning = why.text
  await noteReason(core.pool, why)
  core.log.warn({ queue: 'analysis' }, warning)
  await write(core, { warning })
}

async function write({ pool }: Core, state: State): Promise<void> {
  await pool.query({
    text: `INSERT INTO settings AS s (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET value = s.value || excluded.value, changed_at = now()`,
    values: [NAME, JSON.stringify(state)],
  })
}

/** Whether the queue is paused, why where that was done by itself, and what else is to be known. */
export async function readState({
  pool,
}: Core): Promise<{ paused: boolean; reason: string | null; warning: string | null }> {
  const { rows } = await pool.query<{ paused: boolean; reason: string | null; warning: string | null }>({
    text: `SELECT p.name IS NOT NULL AS paused,
                  CASE WHEN s.changed_at >= p.paused_at - interval '1 minute' THEN s.value ->> 'reason' END AS reason,
                  s.value ->> 'warning' AS warning
             FROM (SELECT) AS one LEFT JOIN paused_queues p ON p.name = 'analysis' LEFT JOIN settings s ON s.name = $1`,
    values: [NAME],
  })
  return rows[0]!
}
