import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { describeProvider, listRequests } from './service.ts'

export const modelRoutes: Route[] = [
  route(operations.readProvider, ({ core }) => describeProvider(core)),
  route(operations.listModelRequests, ({ core, query }) => listRequests(core, query)),
]
