import { readBodyText } from '../platform/http/body.ts'
import type { Operation } from '../platform/http/operation.ts'
import { route, type HandlerInput, type Handler, type Route } from '../platform/http/route.ts'
import { clientAbortSignal } from '../platform/http/client-abort-signal.ts'
import * as automation from './automation/schema.ts'
import { changeAutomation, checkConnection, loadAutomationStatus, loadConnectionStatus } from './automation/service.ts'
import { parseEvent } from './bitrix24/event.ts'
import { acceptEvent, receiveCrmEvent } from './calls/events.ts'
import * as comments from './comments/schema.ts'
import { changeWriting, loadWritingStatus, loadCommentPreview } from './comments/service.ts'
import * as deals from './deals/schema.ts'
import { updateChosenDeals, listCallDeals } from './deals/service.ts'
import { estimateHistoryLoad } from './history/estimate.ts'
import * as history from './history/schema.ts'
import { changeHistoryLoad, loadHistoryLoad, listHistoryLoads, startHistoryLoad } from './history/service.ts'
import { listManagerCandidates } from './managers/candidates.ts'
import { listFunnels, replaceRoster, loadRoster } from './managers/roster.ts'
import * as managers from './managers/schema.ts'
import { listCrmQuarantine } from './quarantine/schema.ts'
import { listQuarantinedRows } from './quarantine/store.ts'
import { listReconciledCalls, readCrmReconciliation } from './reconciliation/schema.ts'
import { listCrmCalls, countCallsByDay } from './reconciliation/service.ts'
import { listSteps, resetAllSteps, resetStep, runStepNow } from './steps/service.ts'
import * as steps from './steps/schema.ts'

/** Creates a route that returns the result of a service function. */
const createServiceRoute = <const O extends Operation>(operation: O, run: Handler<O>, status = 200): Route =>
  route(operation, (call: HandlerInput<O>) => {
    call.ctx.status = status
    return run(call)
  })

const toEntries = <C extends string, O extends Operation>(operations: Record<C, O>) =>
  Object.entries(operations) as [C, O][]

export const crmRoutes: Route[] = [
  createServiceRoute(receiveCrmEvent, async ({ ctx, core }) => {
    const body = await readBodyText(core, ctx)
    return { accepted: await acceptEvent(core, parseEvent(body, ctx.get('Content-Type'))) }
  }),

  createServiceRoute(deals.readDeals, ({ core, actor, id }) => listCallDeals(core, actor, id)),
  createServiceRoute(deals.chooseDealsByHand, ({ core, actor, id, body }) =>
    updateChosenDeals(core, actor, id, body.dealIds),
  ),

  createServiceRoute(comments.readCrmWriting, ({ core }) => loadWritingStatus(core)),
  createServiceRoute(comments.changeCrmWriting, ({ core, actor, body }) => changeWriting(core, actor, body.on)),
  createServiceRoute(comments.previewCrmComment, ({ core, query }) => loadCommentPreview(core, query.recordingId)),

  createServiceRoute(
    history.estimateCrmHistory,
    ({ ctx, core, actor, body }) => estimateHistoryLoad(core, actor, body, clientAbortSignal(ctx)),
    201,
  ),
  createServiceRoute(
    history.startCrmLoad,
    ({ core, actor, body }) => startHistoryLoad(core, actor, body.estimateId),
    201,
  ),
  createServiceRoute(history.listCrmLoads, ({ core, query }) => listHistoryLoads(core, query)),
  createServiceRoute(history.readCrmLoad, ({ core, id }) => loadHistoryLoad(core.pool, id)),
  ...toEntries(history.HISTORY_LOAD_CHANGES).map(([change, operation]) =>
    createServiceRoute(operation, ({ core, actor, id }) => changeHistoryLoad(core, actor, id, change)),
  ),

  createServiceRoute(readCrmReconciliation, ({ core, actor, query }) => countCallsByDay(core, actor, query)),
  createServiceRoute(listReconciledCalls, ({ core, actor, query }) => listCrmCalls(core, actor, query)),

  createServiceRoute(automation.readCrmConnection, ({ core }) => loadConnectionStatus(core)),
  createServiceRoute(automation.checkCrmConnection, ({ core, actor }) => checkConnection(core, actor)),
  createServiceRoute(automation.readCrmAutomation, ({ core }) => loadAutomationStatus(core)),
  ...toEntries(automation.AUTOMATION_CHANGES).map(([change, operation]) =>
    createServiceRoute(operation, ({ core, actor }) => changeAutomation(core, actor, change)),
  ),

  createServiceRoute(steps.readCrmSteps, ({ core }) => listSteps(core)),
  createServiceRoute(listCrmQuarantine, ({ core, query }) => listQuarantinedRows(core, query)),
  createServiceRoute(steps.runCrmStep, ({ ctx, core, actor }) => runStepNow(core, actor, ctx.params.name), 202),
  createServiceRoute(steps.resetCrmStep, ({ ctx, core, actor }) => resetStep(core, actor, ctx.params.name), 202),
  createServiceRoute(steps.resetCrm, ({ core, actor }) => resetAllSteps(core, actor), 202),

  createServiceRoute(managers.determineCrmManagers, async ({ core, actor }) => ({
    items: await listManagerCandidates(core, actor),
  })),
  createServiceRoute(managers.readCrmRoster, ({ core }) => loadRoster(core)),
  createServiceRoute(managers.putCrmRoster, ({ core, actor, body }) => replaceRoster(core, actor, body)),
  createServiceRoute(managers.listCrmFunnels, ({ core }) => listFunnels(core)),
]
