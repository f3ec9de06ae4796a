import { route, type Call, type Route } from '../../platform/http/route.ts'
import type { AppCore } from '../core.ts'
import { healthz, readyz, storageFaults, system } from './schema.ts'
import { describeStorageProblems, describeSystem, readiness } from './service.ts'

export const systemRoutes: Route[] = [
  route(healthz, ({ ctx }) => {
    ctx.body = { status: 'ok' }
  }),

  route(readyz, async ({ ctx, core }: Call<typeof readyz, AppCore>) => {
    ctx.body = await readiness(core)
  }),

  route(system, async ({ ctx, core }: Call<typeof system, AppCore>) => {
    ctx.body = await describeSystem(core)
  }),

  route(storageFaults, async ({ ctx, core }: Call<typeof storageFaults, AppCore>) => {
    ctx.body = await describeStorageProblems(core)
  }),
]
