import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './check-schema.ts'
import { findAnalysis, rerunCheck } from './read.ts'

export const checkRoutes: Route[] = [
  route(operations.readAnalysis, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await findAnalysis(core, actor, id, query)
  }),

  route(operations.rerunAnalysis, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    ctx.body = await rerunCheck(core, actor, id)
  }),
]
