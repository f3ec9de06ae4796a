import { readText } from '../platform/http/body.ts'
import type { Operation } from '../platform/http/operation.ts'
import { route, type Call, type Handler, type Route } from '../platform/http/route.ts'
import { clientAbortSignal } from '../platform/http/waiting.ts'
import * as automation from './automation/schema.ts'
import { changeAutomation, checkConnection, describeAutomation, describeConnection } from './automation/service.ts'
import { parseEvent } from './bitrix24/event.ts'
import { acceptEvent, receiveEvent } from './calls/events.ts'
import * as comments from './comments/schema.ts'
import { changeWriting, describeWriting, previewComment } from './comments/service.ts'
import * as deals from './deals/schema.ts'
import { chooseByHand, dealsOf } from './deals/service.ts'
import { estimate } from './history/estimate.ts'
import * as history from './history/schema.ts'
import { changeLoad, findLoad, listLoads, startLoad } from './history/service.ts'
import { determineManagers } from './managers/determine.ts'
import { listFunnels, putRoster, readRoster } from './managers/roster.ts'
import * as managers from './managers/schema.ts'
import { listQuarantine } from './quarantine/schema.ts'
import { listQuarantinedRows } from './quarantine/store.ts'
import { listReconciledCalls, readReconciliation } from './reconciliation/schema.ts'
import { listCalls, reconcile } from './reconciliation/service.ts'
import { describeSteps, resetAll, resetStep, runNow } from './steps/manage.ts'
import * as steps from './steps/schema.ts'

/** A route that answers with the result of a service. */
const answer = <const O extends Operation>(operation: O, run: Handler<O>, status = 200): Route =>
  route(operation, (call: Call<O>) => {
    call.ctx.status = status
    return run(call)
  })

const changes = <C extends string, O extends Operation>(operations: Record<C, O>) =>
  Object.entries(operations) as [C, O][]

export const crmRoutes: Route[] = [
  answer(receiveEvent, async ({ ctx, core }) => {
    const body = await readText(core, ctx)
    return { accepted: await acceptEvent(core, parseEvent(body, ctx.get('Content-Type'))) }
  }),

  answer(deals.readDeals, ({ core, actor, id }) => dealsOf(core, actor, id)),
  answer(deals.chooseDealsByHand, ({ core, actor, id, body }) => chooseByHand(core, actor, id, body.dealIds)),

  answer(comments.readWriting, ({ core }) => describeWriting(core)),
  answer(comments.changeWriting, ({ core, actor, body }) => changeWriting(core, actor, body.on)),
  answer(comments.previewComment, ({ core, query }) => previewComment(core, query.recordingId)),

  answer(
    history.estimateHistory,
    ({ ctx, core, actor, body }) => estimate(core, actor, body, clientAbortSignal(ctx)),
    201,
  ),
  answer(history.startLoad, ({ core, actor, body }) => startLoad(core, actor, body.estimateId), 201),
  answer(history.listLoads, ({ core, query }) => listLoads(core, query)),
  answer(history.readLoad, ({ core, id }) => findLoad(core.pool, id)),
  ...changes(history.LOAD_CHANGES).map(([change, operation]) =>
    answer(operation, ({ core, actor, id }) => changeLoad(core, actor, id, change)),
  ),

  answer(readReconciliation, ({ core, actor, query }) => reconcile(core, actor, query)),
  answer(listReconciledCalls, ({ core, actor, query }) => listCalls(core, actor, query)),

  answer(automation.readConnection, ({ core }) => describeConnection(core)),
  answer(automation.checkConnection, ({ core, actor }) => checkConnection(core, actor)),
  answer(automation.readAutomation, ({ core }) => describeAutomation(core)),
  ...changes(automation.AUTOMATION_CHANGES).map(([change, operation]) =>
    answer(operation, ({ core, actor }) => changeAutomation(core, actor, change)),
  ),

  answer(steps.readSteps, ({ core }) => describeSteps(core)),
  answer(listQuarantine, ({ core, query }) => listQuarantinedRows(core, query)),
  answer(steps.runStepNow, ({ ctx, core, actor }) => runNow(core, actor, ctx.params.name), 202),
  answer(steps.resetStep, ({ ctx, core, actor }) => resetStep(core, actor, ctx.params.name), 202),
  answer(steps.resetAll, ({ core, actor }) => resetAll(core, actor), 202),

  answer(managers.determineManagers, async ({ core, actor }) => ({ items: await determineManagers(core, actor) })),
  answer(managers.readRoster, ({ core }) => readRoster(core)),
  answer(managers.putRoster, ({ core, actor, body }) => putRoster(core, actor, body)),
  answer(managers.listFunnels, ({ core }) => listFunnels(core)),
]
