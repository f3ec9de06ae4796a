import { asPerson } from '../../platform/http/actor.ts'
import type { Context } from 'koa'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { disputeFinding, judgeFinding } from './service.ts'
import { listWaiting } from './waiting.ts'

const findingOf = (ctx: Context): string => (ctx.params as { findingId: string }).findingId

export const reviewRoutes: Route[] = [
  route(operations.judgeFinding, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await judgeFinding(core, asPerson(actor), id, findingOf(ctx), body)
  }),

  route(operations.disputeFinding, async ({ ctx, core, actor, id, body }) => {
    ctx.status = 201
    ctx.body = await disputeFinding(core, asPerson(actor), id, findingOf(ctx), body.comment)
  }),

  route(operations.listReviews, async ({ ctx, core, actor, query }) => {
    ctx.body = await listWaiting(core, actor, query)
  }),
]
