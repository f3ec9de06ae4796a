import { route, type Route } from '../../platform/http/route.ts'
import { chooseDealsByHand, readDeals } from './schema.ts'
import { chooseByHand, dealsOf } from './service.ts'

export const crmDealRoutes: Route[] = [
  route(readDeals, async ({ ctx, core, actor, id }) => {
    ctx.body = await dealsOf(core, actor, id)
  }),

  route(chooseDealsByHand, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await chooseByHand(core, actor, id, body.dealIds)
  }),
]
