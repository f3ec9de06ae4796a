import { route, type Route } from '../../platform/http/route.ts'
import { overview } from './schema.ts'
import { describeLoad } from './service.ts'

export const statsRoutes: Route[] = [
  route(overview, async ({ ctx, core, actor, query }) => {
    ctx.body = await describeLoad(core, actor, query)
  }),
]
