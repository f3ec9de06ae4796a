import { route, type Route } from '../../platform/http/route.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { findReasons } from '../../platform/queue/reasons.ts'
import { listFailureReasons, queueOperations } from './operations.ts'
import { describeQueues, listed, listJobs, pauseQueue, queueNamed, resumeQueue, retryFailedOf } from './service.ts'

export function queueRoutes(list: readonly Queue[]): Route[] {
  const { queues, jobs, pause, resume, retryFailedJobs } = queueOperations(listed(list).map(({ name }) => name))
  return [
    route(queues, async ({ ctx, core }) => {
      ctx.body = await describeQueues(core, listed(list))
    }),

    route(jobs, async ({ ctx, core, query }) => {
      ctx.body = await listJobs(core, queueNamed(list, ctx.params.name), query)
    }),

    route(listFailureReasons, async ({ ctx, core, query }) => {
      ctx.body = { items: await findReasons(core.pool, query.hashes) }
    }),

    route(pause, async ({ ctx, core, actor }) => {
      ctx.body = await pauseQueue(core, actor, queueNamed(list, ctx.params.name))
    }),

    route(resume, async ({ ctx, core, actor }) => {
      ctx.body = await resumeQueue(core, actor, queueNamed(list, ctx.params.name))
    }),

    route(retryFailedJobs, async ({ ctx, core, actor }) => {
      ctx.body = { retried: await retryFailedOf(core, actor, queueNamed(list, ctx.params.name)) }
    }),
  ]
}
