import { requirePerson, personOf } from '../platform/http/actor.ts'
import { respondCreated, route, type Route, type RouteHandlerInput } from '../platform/http/route.ts'
import { createClientAbortSignal } from '../platform/http/client-abort-signal.ts'
import type { CheckCore } from './core.ts'
import * as backtests from './backtests/operations.ts'
import { loadRuleSetReach } from './backtests/reach.ts'
import { loadBacktest, listBacktests, listChangedBacktestCalls } from './backtests/queries.ts'
import { cancelBacktest, estimateDraftCheckCost, startBacktest } from './backtests/service.ts'
import { runDraftTrial } from './backtests/trial.ts'
import * as analyses from './checks/check-schema.ts'
import { loadVisibleAnalysis, rerunCallCheck } from './checks/queries.ts'
import * as settings from './checks/schema.ts'
import { loadAnalysisSettings, saveAnalysisSettings } from './checks/service.ts'
import * as model from './model/schema.ts'
import { loadAnalysisProvider, listModelRequests } from './model/service.ts'
import * as runs from './recalculations/schema.ts'
import {
  cancelAnalysisRun,
  confirmAnalysisRun,
  createAnalysisRun,
  loadAnalysisRun,
  listAnalysisRuns,
} from './recalculations/service.ts'
import * as reviews from './reviews/schema.ts'
import { disputeFinding, reviewFinding, undoReviewDecision } from './reviews/service.ts'
import { countPendingReviews } from './reviews/counts.ts'
import { listPendingReviews } from './reviews/pending-reviews.ts'
import * as ruleSets from './rule-sets/operations.ts'
import { archiveRuleSet, updateRuleSet, createRuleSet, listRuleSets, loadRuleSet } from './rule-sets/service.ts'
import { moveRuleSet } from './rule-sets/order.ts'
import * as versions from './rule-sets/versions.ts'
import { collectRuleSetBodyViolations } from './rule-sets/violations.ts'

export const callCheckRoutes: Route[] = [
  route(settings.readAnalysisSettingsOperation, ({ core }) => loadAnalysisSettings(core.pool)),
  route(settings.changeAnalysisSettingsOperation, ({ core, actor, body }) => saveAnalysisSettings(core, actor, body)),
  route(analyses.readAnalysisOperation, ({ core, actor, id, query }) => loadVisibleAnalysis(core, actor, id, query)),
  route(analyses.rerunAnalysisOperation, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    return rerunCallCheck(core, actor, id)
  }),

  route(ruleSets.listRuleSetsOperation, ({ core, actor, query }) => listRuleSets(core, personOf(actor), query)),
  route(ruleSets.readRuleSetOperation, ({ core, actor, id }) => loadRuleSet(core, personOf(actor), id)),
  route(ruleSets.listRuleSetVersionsOperation, ({ core, actor, id, query }) =>
    versions.listRuleSetVersions(core, personOf(actor), id, query),
  ),
  route(ruleSets.readRuleSetVersionOperation, ({ ctx, core, actor, id }) =>
    versions.loadRuleSetVersion(core, personOf(actor), id, ctx.params.version),
  ),
  route(
    { ...ruleSets.createRuleSetOperation, moreViolations: collectRuleSetBodyViolations },
    async ({ ctx, core, actor, body }) =>
      respondCreated(ctx, '/v1/rule-sets', await createRuleSet(core, requirePerson(actor), body)),
  ),
  route(ruleSets.changeRuleSetOperation, ({ core, actor, id, body }) =>
    updateRuleSet(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.moveRuleSetOperation, ({ core, actor, id, body }) =>
    moveRuleSet(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.archiveRuleSetOperation, async ({ ctx, core, actor, id }) => {
    await archiveRuleSet(core, requirePerson(actor), id)
    ctx.status = 204
  }),
  route(
    { ...ruleSets.saveRuleSetDraftOperation, moreViolations: collectRuleSetBodyViolations },
    ({ core, actor, id, body }) => versions.saveRuleSetDraft(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.deleteRuleSetDraftOperation, async ({ ctx, core, actor, id, query }) => {
    await versions.deleteRuleSetDraft(core, requirePerson(actor), id, query.revision)
    ctx.status = 204
  }),
  route(ruleSets.publishRuleSetDraftOperation, ({ core, actor, id, body }) =>
    versions.publishRuleSetDraft(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.restoreRuleSetVersionOperation, ({ ctx, core, actor, id }) =>
    versions.restoreRuleSetVersion(core, requirePerson(actor), id, ctx.params.version),
  ),

  route(
    reviews.judgeFindingOperation,
    ({ ctx, core, actor, id, body }: RouteHandlerInput<typeof reviews.judgeFindingOperation, CheckCore>) =>
      reviewFinding(core, requirePerson(actor), id, ctx.params.findingId, body),
  ),
  route(
    reviews.undoDecisionOperation,
    ({ ctx, core, actor, id }: RouteHandlerInput<typeof reviews.undoDecisionOperation, CheckCore>) =>
      undoReviewDecision(core, requirePerson(actor), id, ctx.params.findingId),
  ),
  route(
    reviews.disputeFindingOperation,
    async ({ ctx, core, actor, id, body }: RouteHandlerInput<typeof reviews.disputeFindingOperation, CheckCore>) => {
      ctx.status = 201
      return disputeFinding(core, requirePerson(actor), id, ctx.params.findingId, body.comment)
    },
  ),
  route(reviews.listReviewsOperation, ({ core, actor, query }) => listPendingReviews(core, actor, query)),
  route(reviews.countReviewsOperation, ({ core, actor, query }) =>
    countPendingReviews(core, requirePerson(actor), query),
  ),

  route(model.readAnalysisProviderOperation, ({ core }) => loadAnalysisProvider(core)),
  route(model.listModelRequestsOperation, ({ core, query }) => listModelRequests(core, query)),

  route(backtests.tryRuleSetDraftOperation, ({ ctx, core, actor, id, body }) =>
    runDraftTrial(core, requirePerson(actor), id, body, createClientAbortSignal(ctx)),
  ),
  route(backtests.estimateRuleSetDraftOperation, ({ core, actor, id, body }) =>
    estimateDraftCheckCost(core, requirePerson(actor), id, body),
  ),
  route(backtests.readRuleSetReachOperation, ({ core, actor, id, query }) =>
    loadRuleSetReach(core, requirePerson(actor), id, query),
  ),
  route(backtests.createBacktestOperation, async ({ ctx, core, actor, id, body }) =>
    respondCreated(ctx, '/v1/backtests', await startBacktest(core, requirePerson(actor), id, { limit: 1000, ...body })),
  ),
  route(backtests.listBacktestsOperation, ({ core, actor, id, query }) =>
    listBacktests(core, personOf(actor), id, query),
  ),
  route(backtests.readBacktestOperation, ({ core, actor, id }) => loadBacktest(core, core.pool, personOf(actor), id)),
  route(backtests.listBacktestCallsOperation, ({ core, actor, id, query }) =>
    listChangedBacktestCalls(core, requirePerson(actor), id, query),
  ),
  route(backtests.cancelBacktestOperation, ({ core, actor, id }) => cancelBacktest(core, requirePerson(actor), id)),

  route(runs.createAnalysisRunOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/analysis-runs', await createAnalysisRun(core, requirePerson(actor), body)),
  ),
  route(runs.listAnalysisRunsOperation, ({ core, actor, query }) => listAnalysisRuns(core, personOf(actor), query)),
  route(runs.readAnalysisRunOperation, ({ core, actor, id }) => loadAnalysisRun(core.pool, personOf(actor), id)),
  route(runs.confirmAnalysisRunOperation, ({ core, actor, id }) => confirmAnalysisRun(core, requirePerson(actor), id)),
  route(runs.cancelAnalysisRunOperation, ({ core, actor, id }) => cancelAnalysisRun(core, requirePerson(actor), id)),
]
