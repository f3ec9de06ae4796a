import { route, type Route } from '../http/route.ts'
import { jobs, pause, queue, queues, resume, retryFailedJobs } from './schema.ts'
import {
  describeQueues,
  describeTranscription,
  listJobs,
  pauseQueue,
  queueNamed,
  resumeQueue,
  retryFailedOf,
} from './service.ts'

export const jobRoutes: Route[] = [
  route(queue, async ({ ctx, core }) => {
    ctx.body = await describeTranscription(core)
  }),

  route(queues, async ({ ctx, core }) => {
    ctx.body = await describeQueues(core)
  }),

  route(jobs, async ({ ctx, core, query }) => {
    ctx.body = await listJobs(core, queueNamed(ctx.params.name), query)
  }),

  route(pause, async ({ ctx, core, actor }) => {
    ctx.body = await pauseQueue(core, actor, queueNamed(ctx.params.name))
  }),

  route(resume, async ({ ctx, core, actor }) => {
    ctx.body = await resumeQueue(core, actor, queueNamed(ctx.params.name))
  }),

  route(retryFailedJobs, async ({ ctx, core, actor }) => {
    ctx.body = { retried: await retryFailedOf(core, actor, queueNamed(ctx.params.name)) }
  }),
]
