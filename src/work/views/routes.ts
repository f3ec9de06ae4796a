import { requirePerson } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { changeView, countView, createView, deleteView, listViews } from './service.ts'
import { subscribeToView, unsubscribeFromView } from './subscriptions.ts'

export const viewRoutes: Route[] = [
  route(operations.listViewsOperation, ({ core, actor, query }) => listViews(core, requirePerson(actor), query)),

  route(operations.createViewOperation, async ({ ctx, core, actor, body }) => {
    ctx.status = 201
    return createView(core, requirePerson(actor), body)
  }),

  route(operations.changeViewOperation, ({ core, actor, id, body }) =>
    changeView(core, requirePerson(actor), id, body),
  ),

  route(operations.deleteViewOperation, async ({ ctx, core, actor, id }) => {
    await deleteView(core, requirePerson(actor), id)
    ctx.status = 204
  }),

  route(operations.subscribeToViewOperation, async ({ ctx, core, actor, id }) => {
    await subscribeToView(core, requirePerson(actor), id)
    ctx.status = 204
  }),

  route(operations.unsubscribeFromViewOperation, async ({ ctx, core, actor, id }) => {
    await unsubscribeFromView(core, requirePerson(actor), id)
    ctx.status = 204
  }),

  route(operations.countViewOperation, ({ core, actor, id }) => countView(core, requirePerson(actor), id)),
]
