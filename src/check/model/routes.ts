import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { describeProvider, listRequests } from './service.ts'

export const modelRoutes: Route[] = [
  route(operations.readProvider, async ({ ctx, core }) => {
    ctx.body = await describeProvider(core)
  }),

  route(operations.listModelRequests, async ({ ctx, core, query }) => {
    ctx.body = await listRequests(core, query)
  }),
]
