import { route, type Call, type Route } from '../../platform/http/route.ts'
import type { AppCore } from '../core.ts'
import { healthz, readyz, storageFaults, system } from '../../platform/http/system-schema.ts'
import { describeStorageProblems, describeSystem, readiness } from './service.ts'

export const systemRoutes: Route[] = [
  route(healthz, () => ({ status: 'ok' as const })),

  route(readyz, ({ core }: Call<typeof readyz, AppCore>) => readiness(core)),

  route(system, ({ core }: Call<typeof system, AppCore>) => describeSystem(core)),

  route(storageFaults, ({ core }: Call<typeof storageFaults, AppCore>) => describeStorageProblems(core)),
]
