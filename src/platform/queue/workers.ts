import { initializeAttemptCounts } from '../lib/metrics.ts'
import { createQueueWork } from './attempts.ts'
import { listQueuesWithDueJobs } from './due-queues.ts'
import type { QueueNotifier } from './notifier.ts'
import type { QueueCore } from './queue.ts'
import { WorkerPool } from './worker-pool.ts'

/** Delays a job by at most this long if a notification is lost. */
const POLL_MS = 1000

/**
 * Starts a worker pool for each queue. Notifications wake the pools, and so does a poll once a second.
 * @returns a function that stops the pools and releases the jobs that do not finish within the grace time
 */
export function startQueueWorkers(core: QueueCore, notifier: QueueNotifier): () => Promise<void> {
  const pools = core.queues.map((queue) => {
    initializeAttemptCounts(queue.name)
    const logFailure = (error: unknown) =>
      core.log.warn({ queue: queue.name, reason: (error as Error).message }, 'a worker failed')
    const pool = new WorkerPool(() => queue.concurrency(core), createQueueWork(core, queue), logFailure)
    notifier.listen(queue.name, async () => {
      await pool.waitForFreeSlot()
      pool.wake()
    })
    return { queue, wake: () => pool.wake(), stop: () => pool.stop(queue.startsOver ? 0 : core.config.jobGraceSeconds) }
  })
  const stopPolling = startRepeating(POLL_MS, async () => {
    const due = await listQueuesWithDueJobs(core.pool, core.queues).catch(({ message: reason }: Error) => {
      core.log.warn({ reason }, 'polling for jobs failed')
      // If the joint query fails because of one table, let each queue poll on its own.
      return core.queues
    })
    for (const { queue, wake } of pools) if (due.includes(queue)) wake()
  })
  return async () => {
    await Promise.all([stopPolling(), ...pools.map((pool) => pool.stop())])
  }
}

/**
 * Calls `act` at once and then periodically, never twice at a time. `act` has to handle its errors. @returns a function that ends
 * the calls and waits for the running one
 */
function startRepeating(pauseMs: number, act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  const begin = () => {
    running ??= act().finally(() => (running = undefined))
  }
  begin()
  const timer = setInterval(begin, pauseMs)
  return async () => {
    clearInterval(timer)
    await running
  }
}
