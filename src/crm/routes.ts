import { readPublicBodyText } from '../platform/http/body.ts'
import type { Operation } from '../platform/http/operation.ts'
import { route, type RouteHandlerInput, type RouteHandler, type Route } from '../platform/http/route.ts'
import { createClientAbortSignal } from '../platform/http/client-abort-signal.ts'
import * as automation from './automation/schema.ts'
import {
  changeCrmAutomation,
  checkCrmConnection,
  loadCrmAutomationStatus,
  loadCrmConnectionStatus,
} from './automation/service.ts'
import { parsePortalEvent } from './bitrix24/event.ts'
import { acceptPortalEvent, receiveCrmEventOperation } from './calls/events.ts'
import * as comments from './comments/schema.ts'
import { changeCommentWriting, loadCommentWritingStatus, loadCrmCommentPreview } from './comments/service.ts'
import * as deals from './deals/schema.ts'
import { replaceCallDeals, listCallDeals } from './deals/service.ts'
import { estimateHistoryLoad } from './history/estimate.ts'
import * as history from './history/schema.ts'
import { changeHistoryLoad, loadHistoryLoad, listHistoryLoads, startHistoryLoad } from './history/service.ts'
import { listManagerCandidates } from './managers/candidates.ts'
import { listCrmFunnels, replaceCrmRoster, loadCrmRoster } from './managers/roster.ts'
import * as managers from './managers/schema.ts'
import { listCrmQuarantineOperation } from './quarantine/schema.ts'
import { listQuarantinedRows } from './quarantine/store.ts'
import { listReconciledCallsOperation, readCrmReconciliationOperation } from './reconciliation/schema.ts'
import { listCrmCalls, countCrmCallsByDay } from './reconciliation/service.ts'
import { listCrmSteps, resetAllCrmSteps, resetCrmStep, runCrmStepNow } from './steps/service.ts'
import * as steps from './steps/schema.ts'

/** Creates a route that returns the result of a service function. */
const createServiceRoute = <const O extends Operation>(operation: O, run: RouteHandler<O>, status = 200): Route =>
  route(operation, (call: RouteHandlerInput<O>) => {
    call.ctx.status = status
    return run(call)
  })

const toEntries = <C extends string, O extends Operation>(operations: Record<C, O>) =>
  Object.entries(operations) as [C, O][]

export const crmRoutes: Route[] = [
  createServiceRoute(receiveCrmEventOperation, async ({ ctx, core }) => {
    const body = await readPublicBodyText(core, ctx)
    return { accepted: await acceptPortalEvent(core, parsePortalEvent(body, ctx.get('Content-Type'))) }
  }),

  createServiceRoute(deals.readDealsOperation, ({ core, actor, id }) => listCallDeals(core, actor, id)),
  createServiceRoute(deals.chooseDealsByHandOperation, ({ core, actor, id, body }) =>
    replaceCallDeals(core, actor, id, body.dealIds),
  ),

  createServiceRoute(comments.readCrmWritingOperation, ({ core }) => loadCommentWritingStatus(core)),
  createServiceRoute(comments.changeCrmWritingOperation, ({ core, actor, body }) =>
    changeCommentWriting(core, actor, body.on),
  ),
  createServiceRoute(comments.previewCrmCommentOperation, ({ core, query }) =>
    loadCrmCommentPreview(core, query.recordingId),
  ),

  createServiceRoute(
    history.estimateCrmHistoryOperation,
    ({ ctx, core, actor, body }) => estimateHistoryLoad(core, actor, body, createClientAbortSignal(ctx)),
    201,
  ),
  createServiceRoute(
    history.startCrmLoadOperation,
    ({ core, actor, body }) => startHistoryLoad(core, actor, body.estimateId),
    201,
  ),
  createServiceRoute(history.listCrmLoadsOperation, ({ core, query }) => listHistoryLoads(core, query)),
  createServiceRoute(history.readCrmLoadOperation, ({ core, id }) => loadHistoryLoad(core.pool, id)),
  ...toEntries(history.HISTORY_LOAD_CHANGE_OPERATIONS).map(([change, operation]) =>
    createServiceRoute(operation, ({ core, actor, id }) => changeHistoryLoad(core, actor, id, change)),
  ),

  createServiceRoute(readCrmReconciliationOperation, ({ core, actor, query }) =>
    countCrmCallsByDay(core, actor, query),
  ),
  createServiceRoute(listReconciledCallsOperation, ({ core, actor, query }) => listCrmCalls(core, actor, query)),

  createServiceRoute(automation.readCrmConnectionOperation, ({ core }) => loadCrmConnectionStatus(core)),
  createServiceRoute(automation.checkCrmConnectionOperation, ({ core, actor }) => checkCrmConnection(core, actor)),
  createServiceRoute(automation.readCrmAutomationOperation, ({ core }) => loadCrmAutomationStatus(core)),
  ...toEntries(automation.CRM_AUTOMATION_CHANGE_OPERATIONS).map(([change, operation]) =>
    createServiceRoute(operation, ({ core, actor }) => changeCrmAutomation(core, actor, change)),
  ),

  createServiceRoute(steps.readCrmStepsOperation, ({ core }) => listCrmSteps(core)),
  createServiceRoute(listCrmQuarantineOperation, ({ core, query }) => listQuarantinedRows(core, query)),
  createServiceRoute(
    steps.runCrmStepOperation,
    ({ ctx, core, actor }) => runCrmStepNow(core, actor, ctx.params.name),
    202,
  ),
  createServiceRoute(
    steps.resetCrmStepOperation,
    ({ ctx, core, actor }) => resetCrmStep(core, actor, ctx.params.name),
    202,
  ),
  createServiceRoute(steps.resetCrmOperation, ({ core, actor }) => resetAllCrmSteps(core, actor), 202),

  createServiceRoute(managers.determineCrmManagersOperation, async ({ core, actor }) => ({
    items: await listManagerCandidates(core, actor),
  })),
  createServiceRoute(managers.readCrmRosterOperation, ({ core }) => loadCrmRoster(core)),
  createServiceRoute(managers.putCrmRosterOperation, ({ core, actor, body }) => replaceCrmRoster(core, actor, body)),
  createServiceRoute(managers.listCrmFunnelsOperation, ({ core }) => listCrmFunnels(core)),
]
