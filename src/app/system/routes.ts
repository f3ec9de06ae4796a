import { route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import type { AppCore } from '../core.ts'
import { healthz, readyz, storageFaults, system } from '../../platform/http/system-schema.ts'
import { loadStorageProblems, loadSystemState, loadReadiness } from './service.ts'

export const systemRoutes: Route[] = [
  route(healthz, () => ({ status: 'ok' as const })),

  route(readyz, ({ core }: HandlerInput<typeof readyz, AppCore>) => loadReadiness(core)),

  route(system, ({ core }: HandlerInput<typeof system, AppCore>) => loadSystemState(core)),

  route(storageFaults, ({ core }: HandlerInput<typeof storageFaults, AppCore>) => loadStorageProblems(core)),
]
