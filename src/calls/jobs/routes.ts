import { route, type Route } from '../../platform/http/route.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { createQueueOperations } from './operations.ts'
import {
  loadQueueStates,
  filterListedQueues,
  listQueueJobs,
  pauseQueue,
  requireListedQueue,
  resumeQueue,
  retryFailedJobsOfQueue,
} from './service.ts'

/**
 * Creates the routes of the queues API.
 * @param list all queues of the service; unlisted ones are hidden
 */
export function createQueueRoutes(list: readonly Queue[]): Route[] {
  const { queues, jobs, pause, resume, retryFailedJobs } = createQueueOperations(
    filterListedQueues(list).map(({ name }) => name),
  )
  return [
    route(queues, ({ core }) => loadQueueStates(core, filterListedQueues(list))),

    route(jobs, ({ ctx, core, query }) => listQueueJobs(core, requireListedQueue(list, ctx.params.name), query)),

    route(pause, ({ ctx, core, actor }) => pauseQueue(core, actor, requireListedQueue(list, ctx.params.name))),

    route(resume, ({ ctx, core, actor }) => resumeQueue(core, actor, requireListedQueue(list, ctx.params.name))),

    route(retryFailedJobs, async ({ ctx, core, actor }) => ({
      retried: await retryFailedJobsOfQueue(core, actor, requireListedQueue(list, ctx.params.name)),
    })),
  ]
}
