import { setTimeout as pause } from 'node:timers/promises'
import { Cron } from 'croner'
import { repairAfterClockShift, rescueExpiredJobs } from './attempts.ts'
import { listQueuesWithExpiredJobs } from './due-queues.ts'
import type { Queue, QueueCore } from './queue.ts'
import { runStep, type Step } from './steps.ts'

/** Describes a scheduled task. Every worker process runs it, so parallel runs must be safe. */
export interface ScheduledTask {
  name: string
  /** Cron pattern with seconds first. */
  pattern: string
  /** A long run must end early when `stopping` aborts. */
  run(this: void, core: QueueCore, stopping: AbortSignal): Promise<void>
}

/** Spaces tasks due at the same second, so that they do not open every connection of the pool at once. */
const TASK_SPACING_MS = 10

/**
 * Starts the scheduled tasks and steps, and the rescue and clock repair of all queues.
 * @returns a function that stops the schedule and waits for aborted steps
 */
export function startTaskSchedule(
  core: QueueCore,
  steps: readonly Step[],
  tasks: readonly ScheduledTask[],
): () => Promise<void> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const run = async (step: Step) => {
    const stepRun = runStep(core, step, stopping.signal).finally(() => running.delete(stepRun))
    running.add(stepRun)
    await stepRun
  }
  const configuredSteps = steps.filter((step) => step.keyOf(core.config) !== undefined)
  const allTasks = [
    RESCUE_TASK,
    ...core.queues.map(createClockRepairTask),
    ...configuredSteps.map((step) => createStepTask(step, run)),
    ...tasks,
  ]
  const jobs = allTasks.map(({ name, pattern, run }, index) => {
    const logFailure = (error: unknown) =>
      core.log.warn({ task: name, reason: (error as Error).message }, 'a task failed')
    return new Cron(pattern, { protect: true, catch: logFailure }, async () => {
      await pause(index * TASK_SPACING_MS)
      if (!stopping.signal.aborted) await run(core, stopping.signal)
    })
  })
  return async () => {
    jobs.forEach((job) => job.stop())
    stopping.abort()
    await Promise.allSettled(running)
  }
}

/** Rescues jobs with an expired lease in all queues every 2 s. */
const RESCUE_TASK: ScheduledTask = {
  name: 'rescue of expired jobs',
  pattern: '*/2 * * * * *',
  run: async (core) => {
    const expired = await listQueuesWithExpiredJobs(core.pool, core.queues).catch(() => core.queues)
    const rescued = expired.map((queue) =>
      rescueExpiredJobs(core, queue).catch(({ message: reason }: Error) =>
        core.log.warn({ queue: queue.name, reason }, 'expired jobs could not be rescued'),
      ),
    )
    await Promise.all(rescued)
  },
}

/** Repairs the schedules of a queue every 10 s. */
const createClockRepairTask = (queue: Queue): ScheduledTask => ({
  name: `${queue.name}: repair after a clock shift`,
  pattern: '*/10 * * * * *',
  run: (core) => repairAfterClockShift(core, queue),
})

/** Tries a step every 2 s; runStep() skips it until its interval has passed. */
const createStepTask = (step: Step, run: (step: Step) => Promise<void>): ScheduledTask => ({
  name: step.name,
  pattern: '*/2 * * * * *',
  run: async (core) => {
    if ((await step.isReady?.(core)) !== false) await run(step)
  },
})
