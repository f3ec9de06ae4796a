import { deliverNext } from './callbacks/worker.ts'
import type { Core } from './core.ts'
import { Pump } from './lib/pump.ts'
import type { Doorbell, QueueName } from './queues.ts'
import { startSchedule } from './schedule.ts'
import { createTranscriber } from './transcription/worker.ts'

/** How often a worker looks for work that no ring told of, in milliseconds. */
const POLL_MS = 1000

/** Deliveries wait for receivers, not for this machine, so several go at once. */
const CALLBACK_CONCURRENCY = 16

/**
 * Starts the queues' workers and the schedule.
 * @returns stops them: no new work, running recognitions handed back, running deliveries finished
 */
export function startWorkers(core: Core, doorbell: Doorbell): () => Promise<void> {
  const failed = (queue: QueueName) => (error: unknown) =>
    core.log.warn({ queue, reason: (error as Error).message }, 'the worker could not work')
  const pumps: Record<QueueName, Pump> = {
    transcription: new Pump(core.config.TRANSCRIPTION_CONCURRENCY, createTranscriber(core), failed('transcription')),
    callbacks: new Pump(CALLBACK_CONCURRENCY, () => deliverNext(core), failed('callbacks')),
  }
  for (const [name, pump] of Object.entries(pumps) as [QueueName, Pump][]) {
    doorbell.listen(name, async () => {
      await pump.freePlace()
      pump.wake()
    })
  }
  const poll = setInterval(() => Object.values(pumps).forEach((pump) => pump.wake()), POLL_MS)
  const stopSchedule = startSchedule(core)
  return async () => {
    clearInterval(poll)
    stopSchedule()
    await Promise.all(Object.values(pumps).map((pump) => pump.stop()))
  }
}
