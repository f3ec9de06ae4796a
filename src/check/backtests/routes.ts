import { asPerson, personOf } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { clientAbortSignal } from '../../platform/http/waiting.ts'
import * as operations from './operations.ts'
import { listBacktests, listChanged, readBacktest } from './read.ts'
import { cancelBacktest, estimateDraft, startBacktest } from './service.ts'
import { tryDraft } from './trial.ts'

export const backtestRoutes: Route[] = [
  route(operations.tryDraft, ({ ctx, core, actor, id, body }) =>
    tryDraft(core, asPerson(actor), id, body, clientAbortSignal(ctx)),
  ),

  route(operations.estimateDraft, ({ core, actor, id, body }) => estimateDraft(core, asPerson(actor), id, body)),

  route(operations.createBacktest, async ({ ctx, core, actor, id, body }) => {
    const made = await startBacktest(core, asPerson(actor), id, { limit: 1000, ...body })
    ctx.status = 201
    ctx.set('Location', `/v1/backtests/${made.id}`)
    return made
  }),

  route(operations.listBacktests, ({ core, actor, id, query }) => listBacktests(core, personOf(actor), id, query)),
  route(operations.readBacktest, ({ core, actor, id }) => readBacktest(core, personOf(actor), id)),
  route(operations.listBacktestCalls, ({ core, actor, id, query }) => listChanged(core, asPerson(actor), id, query)),
  route(operations.cancelBacktest, ({ core, actor, id }) => cancelBacktest(core, asPerson(actor), id)),
]
