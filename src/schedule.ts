import { Cron } from 'croner'
import { removeEndedSessions } from './auth/service.ts'
import type { Core } from './core.ts'
import { mendWaits, rescueExpired } from './queue/attempts.ts'
import type { Queue } from './queue/queue.ts'
import { runStep, type Step } from './queue/steps.ts'
import { STEPS } from './queues.ts'
import { addUpCounts } from './recordings/counts.ts'
import { removeDueFiles } from './recordings/removals.ts'

interface Task {
  name: string
  pattern: string
  run: (core: Core) => Promise<void>
}

/** Maintenance: what runs by itself and when. Every worker runs it; each task is safe to run many times at once. */
const TASKS: Task[] = [
  { name: 'counts to add up', pattern: '*/10 * * * * *', run: addUpCounts },
  { name: 'files to remove', pattern: '30 * * * * *', run: ifStorageIsOurs(removeDueFiles) },
  { name: 'ended sessions', pattern: '0 7 * * * *', run: removeEndedSessions },
]

/** What the engine does for each queue. */
const tasksOf = (queue: Queue): Task[] => [
  {
    name: `${queue.name}: jobs whose worker died`,
    pattern: '*/2 * * * * *',
    run: (core) => rescueExpired(core, queue),
  },
  { name: `${queue.name}: jobs that wait too long`, pattern: '*/10 * * * * *', run: (core) => mendWaits(core, queue) },
]

/** Steps run at their own intervals; this is how soon they are begun. */
const taskOf = (step: Step): Task => ({
  name: step.name,
  pattern: '*/2 * * * * *',
  run: async (core) => {
    if ((await step.isReady?.(core)) !== false) await runStep(core, step)
  },
})

/** In a storage that is another's, nothing is to be removed. */
function ifStorageIsOurs(task: (core: Core) => Promise<void>): (core: Core) => Promise<void> {
  return async (core) => {
    if ((await core.ownership.state()) === 'ours') await task(core)
  }
}

/** Starts the schedule; answers the function that stops it. */
export function startSchedule(core: Core): () => void {
  const jobs = [...core.queues.flatMap(tasksOf), ...STEPS.map(taskOf), ...TASKS].map(({ name, pattern, run }) => {
    const failed = (error: unknown) => core.log.warn({ task: name, reason: (error as Error).message }, 'a task failed')
    return new Cron(pattern, { protect: true, catch: failed }, () => run(core))
  })
  return () => jobs.forEach((job) => job.stop())
}
