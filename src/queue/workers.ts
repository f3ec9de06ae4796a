import { deliverNext } from '../callbacks/worker.ts'
import type { Core } from '../core.ts'
import { WorkerPool } from './worker-pool.ts'
import type { QueueName } from '../queues.ts'
import type { QueueNotifier } from './notifier.ts'
import { startSchedule } from '../schedule.ts'
import { createTranscriber } from '../transcription/worker.ts'

/** How often a worker looks for work that no notification told of, in milliseconds. */
const POLL_MS = 1000

/** Deliveries wait for receivers, not for this machine, so several go at once. */
const CALLBACK_CONCURRENCY = 16

/**
 * Starts the queues' workers and the schedule.
 * @returns stops them: no new work, running recognitions handed back, running deliveries finished
 */
export function startWorkers(core: Core, notifier: QueueNotifier): () => Promise<void> {
  const failed = (queue: QueueName) => (error: unknown) =>
    core.log.warn({ queue, reason: (error as Error).message }, 'the worker could not work')
  const pools: Record<QueueName, WorkerPool> = {
    transcription: new WorkerPool(
      core.config.TRANSCRIPTION_CONCURRENCY,
      createTranscriber(core),
      failed('transcription'),
    ),
    callbacks: new WorkerPool(CALLBACK_CONCURRENCY, () => deliverNext(core), failed('callbacks')),
  }
  for (const [name, pool] of Object.entries(pools) as [QueueName, WorkerPool][]) {
    notifier.listen(name, async () => {
      await pool.freeSlot()
      pool.wake()
    })
  }
  const poll = setInterval(() => Object.values(pools).forEach((pool) => pool.wake()), POLL_MS)
  const stopSchedule = startSchedule(core)
  return async () => {
    clearInterval(poll)
    stopSchedule()
    await Promise.all(Object.values(pools).map((pool) => pool.stop()))
  }
}
