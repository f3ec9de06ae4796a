import type { Core } from '../core.ts'
import { beginAttempts } from '../lib/metrics.ts'
import { workOf } from './attempts.ts'
import type { QueueNotifier } from './notifier.ts'
import { WorkerPool } from './worker-pool.ts'

/** How often the workers of a queue look for a job that no notification told of, in milliseconds. */
const POLL_MS = 1000

/**
 * Starts a worker pool for each queue.
 * @returns stops them: nothing new is claimed, what runs ends; what starts over, or is late, is aborted and released
 */
export function startWorkers(core: Core, notifier: QueueNotifier): () => Promise<void> {
  const pools = core.queues.map((queue) => {
    beginAttempts(queue.name)
    const failed = (error: unknown) =>
      core.log.warn({ queue: queue.name, reason: (error as Error).message }, 'the worker could not work')
    const pool = new WorkerPool(() => queue.concurrency(core), workOf(core, queue), failed)
    notifier.listen(queue.name, async () => {
      await pool.freeSlot()
      pool.wake()
    })
    return { wake: () => pool.wake(), stop: () => pool.stop(queue.startsOver ? 0 : core.config.jobGraceSeconds) }
  })
  // One after the other: all at once they would open, and keep, a connection to the database each.
  let next = 0
  const poll = setInterval(() => pools[next++ % pools.length]?.wake(), POLL_MS / pools.length)
  return async () => {
    clearInterval(poll)
    await Promise.all(pools.map((pool) => pool.stop()))
  }
}
