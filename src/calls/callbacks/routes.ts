import { route, type Route } from '../../platform/http/route.ts'
import { retryDeliveryOperation } from './schema.ts'
import { retryFailedDelivery } from './service.ts'

export const callbackRoutes: Route[] = [
  route(retryDeliveryOperation, ({ ctx, core, actor, id }) =>
    retryFailedDelivery(core, actor, id, String(ctx.params.deliveryId)),
  ),
]
