import { route, type Route } from '../../platform/http/route.ts'
import { estimate } from './estimate.ts'
import * as schema from './schema.ts'
import { changeLoad, loadOf, loads, startLoad } from './service.ts'

const CHANGES = [
  ['pause', schema.pauseLoad],
  ['resume', schema.resumeLoad],
  ['cancel', schema.cancelLoad],
] as const

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

  route(schema.listLoads, ({ core, query }) => loads(core, query)),

  route(schema.readLoad, ({ core, id }) => loadOf(core.pool, id)),

  ...CHANGES.map(([change, operation]) =>
    route(operation, ({ core, actor, id }) => changeLoad(core, actor, id, change)),
  ),
]
