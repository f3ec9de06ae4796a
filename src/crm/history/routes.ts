import { route, type Route } from '../../platform/http/route.ts'
import { estimate } from './estimate.ts'
import * as schema from './schema.ts'
import { changeLoad, findLoad, listLoads, startLoad } from './service.ts'

export const crmHistoryRoutes: Route[] = [
  route(schema.estimateHistory, async ({ ctx, core, actor, body }) => {
    const gone = new AbortController()
    ctx.req.once('close', () => ctx.req.destroyed && ctx.res.destroyed && gone.abort())
    ctx.body = await estimate(core, actor, body, gone.signal)
    ctx.status = 201
  }),

  route(schema.startLoad, async ({ ctx, core, actor, body }) => {
    ctx.body = await startLoad(core, actor, body.estimateId)
    ctx.status = 201
  }),

  route(schema.listLoads, async ({ ctx, core, query }) => {
    ctx.body = await listLoads(core, query)
  }),

  route(schema.readLoad, async ({ ctx, core, id }) => {
    ctx.body = await findLoad(core.pool, id)
  }),

  ...Object.entries(schema.LOAD_CHANGES).map(([change, operation]) =>
    route(operation, async ({ ctx, core, actor, id }) => {
      ctx.body = await changeLoad(core, actor, id, change as schema.LoadChange)
    }),
  ),
]
