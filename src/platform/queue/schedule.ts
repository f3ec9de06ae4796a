import { setTimeout as pause } from 'node:timers/promises'
import { Cron } from 'croner'
import { repairAfterClockShift, rescueExpired } from './attempts.ts'
import { queuesWithExpiredJobs } from './due.ts'
import type { Queue, QueueCore } from './queue.ts'
import { runStep, type Step } from './steps.ts'

/** A scheduled task. Every worker runs it, so it must be safe to run many times at once. */
export interface Task {
  name: string
  /** The time in cron's format, seconds first. */
  pattern: string
  /** A long run ends early when `stopping` aborts. */
  run: (core: QueueCore, stopping: AbortSignal) => Promise<void>
}

/** The interval between tasks due at the same second, in milliseconds: all at once would open every connection. */
const APART_MS = 10

/** Starts the schedule of queues, steps and tasks; returns a function that stops it and aborts running steps. */
export function startSchedule(core: QueueCore, steps: readonly Step[], tasks: readonly Task[]): () => Promise<void> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const run = async (step: Step) => {
    const ended = runStep(core, step, stopping.signal).finally(() => running.delete(ended))
    running.add(ended)
    await ended
  }
  const asked = steps.filter((step) => step.keyOf(core.config) !== undefined)
  const all = [RESCUE, ...core.queues.map(clockRepairOf), ...asked.map((step) => taskOf(step, run)), ...tasks]
  const jobs = all.map(({ name, pattern, run }, index) => {
    const failed = (error: unknown) => core.log.warn({ task: name, reason: (error as Error).message }, 'a task failed')
    return new Cron(pattern, { protect: true, catch: failed }, async () => {
      await pause(index * APART_MS)
      if (!stopping.signal.aborted) await run(core, stopping.signal)
    })
  })
  return async () => {
    jobs.forEach((job) => job.stop())
    stopping.abort()
    await Promise.allSettled(running)
  }
}

/** The task of the engine for all queues. */
const RESCUE: Task = {
  name: 'jobs whose worker died',
  pattern: '*/2 * * * * *',
  run: async (core) => {
    const expired = await queuesWithExpiredJobs(core.pool, core.queues).catch(() => core.queues)
    const rescued = expired.map((queue) =>
      rescueExpired(core, queue).catch(({ message: reason }: Error) =>
        core.log.warn({ queue: queue.name, reason }, 'claims that ran out could not be taken over'),
      ),
    )
    await Promise.all(rescued)
  },
}

/** The task of the engine for each queue. */
const clockRepairOf = (queue: Queue): Task => ({
  name: `${queue.name}: jobs that wait too long`,
  pattern: '*/10 * * * * *',
  run: (core) => repairAfterClockShift(core, queue),
})

/** How soon steps begin once their own interval has passed. */
const taskOf = (step: Step, run: (step: Step) => Promise<void>): Task => ({
  name: step.name,
  pattern: '*/2 * * * * *',
  run: async (core) => {
    if ((await step.isReady?.(core)) !== false) await run(step)
  },
})
