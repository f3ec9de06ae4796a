import { route, type Route } from '../../platform/http/route.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { queueOperations } from './operations.ts'
import { describeQueues, listed, listJobs, pauseQueue, queueNamed, resumeQueue, retryFailedOf } from './service.ts'

export function queueRoutes(list: readonly Queue[]): Route[] {
  const { queues, jobs, pause, resume, retryFailedJobs } = queueOperations(listed(list).map(({ name }) => name))
  return [
    route(queues, ({ core }) => describeQueues(core, listed(list))),

    route(jobs, ({ ctx, core, query }) => listJobs(core, queueNamed(list, ctx.params.name), query)),

    route(pause, ({ ctx, core, actor }) => pauseQueue(core, actor, queueNamed(list, ctx.params.name))),

    route(resume, ({ ctx, core, actor }) => resumeQueue(core, actor, queueNamed(list, ctx.params.name))),

    route(retryFailedJobs, async ({ ctx, core, actor }) => ({
      retried: await retryFailedOf(core, actor, queueNamed(list, ctx.params.name)),
    })),
  ]
}
