import { route, type Route } from '../../platform/http/route.ts'
import { retryDelivery } from './schema.ts'
import { retryOneDelivery } from './service.ts'

export const callbackRoutes: Route[] = [
  route(retryDelivery, ({ ctx, core, actor, id }) => retryOneDelivery(core, actor, id, String(ctx.params.deliveryId))),
]
