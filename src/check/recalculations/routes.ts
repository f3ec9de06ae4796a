import { asPerson, personOf } from '../../platform/http/actor.ts'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './schema.ts'
import { cancelRun, confirmRun, estimateRun, listRuns, readRun } from './service.ts'

export const recalculationRoutes: Route[] = [
  route(operations.createAnalysisRun, async ({ ctx, core, actor, body }) => {
    const made = await estimateRun(core, asPerson(actor), body)
    ctx.status = 201
    ctx.set('Location', `/v1/analysis-runs/${made.id}`)
    return made
  }),

  route(operations.listAnalysisRuns, ({ core, actor, query }) => listRuns(core, personOf(actor), query)),
  route(operations.readAnalysisRun, ({ core, actor, id }) => readRun(core, personOf(actor), id)),
  route(operations.confirmAnalysisRun, ({ core, actor, id }) => confirmRun(core, asPerson(actor), id)),
  route(operations.cancelAnalysisRun, ({ core, actor, id }) => cancelRun(core, asPerson(actor), id)),
]
