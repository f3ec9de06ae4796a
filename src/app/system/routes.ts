import { route, type Route } from '../../platform/http/route.ts'
import { healthz, readyz, storageFaults, system } from './schema.ts'
import { describeStorageProblems, describeSystem, readiness } from './service.ts'

export const systemRoutes: Route[] = [
  route(healthz, ({ ctx }) => {
    ctx.body = { status: 'ok' }
  }),

  route(readyz, async ({ ctx, core }) => {
    ctx.body = await readiness(core)
  }),

  route(system, async ({ ctx, core }) => {
    ctx.body = await describeSystem(core)
  }),

  route(storageFaults, async ({ ctx, core }) => {
    ctx.body = await describeStorageProblems(core)
  }),
]
