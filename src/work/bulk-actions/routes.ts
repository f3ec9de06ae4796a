import { requirePerson } from '../../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { cancelBulkAction, createBulkAction, listBulkActions, loadBulkAction } from './service.ts'

export const bulkActionRoutes: Route[] = [
  route(operations.listBulkActionsOperation, ({ core, actor, query }) =>
    listBulkActions(core, requirePerson(actor), query),
  ),

  route(operations.createBulkActionOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/bulk-actions', await createBulkAction(core, requirePerson(actor), body)),
  ),

  route(operations.readBulkActionOperation, ({ core, actor, id }) =>
    loadBulkAction(core.pool, requirePerson(actor), id),
  ),

  route(operations.cancelBulkActionOperation, ({ core, actor, id }) =>
    cancelBulkAction(core, requirePerson(actor), id),
  ),
]
