import { route, type Route } from '../../platform/http/route.ts'
import { chooseDealsByHand, readDeals } from './schema.ts'
import { chooseByHand, dealsOf } from './service.ts'

export const crmDealRoutes: Route[] = [
  route(readDeals, ({ core, actor, id }) => dealsOf(core, actor, id)),

  route(chooseDealsByHand, ({ core, actor, id, body }) => chooseByHand(core, actor, id, body.dealIds)),
]
