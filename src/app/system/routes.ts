import { route, type RouteHandlerInput, type Route } from '../../platform/http/route.ts'
import type { AppCore } from '../core.ts'
import {
  healthzOperation,
  readyzOperation,
  storageFaultsOperation,
  systemStatusOperation,
} from '../../platform/http/system-schema.ts'
import { loadStorageWarnings, loadSystemState, checkServiceReadiness } from './service.ts'

export const systemRoutes: Route[] = [
  route(healthzOperation, () => ({ status: 'ok' as const })),

  route(readyzOperation, ({ core }: RouteHandlerInput<typeof readyzOperation, AppCore>) => checkServiceReadiness(core)),

  route(systemStatusOperation, ({ core }: RouteHandlerInput<typeof systemStatusOperation, AppCore>) =>
    loadSystemState(core),
  ),

  route(storageFaultsOperation, ({ core }: RouteHandlerInput<typeof storageFaultsOperation, AppCore>) =>
    loadStorageWarnings(core),
  ),
]
