import { asPerson, personOf } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { cancelRun, confirmRun, estimateRun, listRuns, readRun } from './service.ts'

export const recalculationRoutes: Route[] = [
  route(operations.createAnalysisRun, async ({ ctx, core, actor, body }) => {
    const made = await estimateRun(core, asPerson(actor), body)
    ctx.status = 201
    ctx.set('Location', `/v1/analysis-runs/${made.id}`)
    ctx.body = made
  }),

  route(operations.listAnalysisRuns, async ({ ctx, core, actor, query }) => {
    ctx.body = await listRuns(core, personOf(actor), query)
  }),

  route(operations.readAnalysisRun, async ({ ctx, core, actor, id }) => {
    ctx.body = await readRun(core, personOf(actor), id)
  }),

  route(operations.confirmAnalysisRun, async ({ ctx, core, actor, id }) => {
    ctx.body = await confirmRun(core, asPerson(actor), id)
  }),

  route(operations.cancelAnalysisRun, async ({ ctx, core, actor, id }) => {
    ctx.body = await cancelRun(core, asPerson(actor), id)
  }),
]
