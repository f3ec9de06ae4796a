import { requirePerson, personOf } from '../platform/http/actor.ts'
import { respondCreated, route, type Route } from '../platform/http/route.ts'
import { clientAbortSignal } from '../platform/http/client-abort-signal.ts'
import * as backtests from './backtests/operations.ts'
import { loadRuleSetReach } from './backtests/reach.ts'
import { loadBacktest, listBacktests, listChangedCalls } from './backtests/queries.ts'
import { cancelBacktest, estimateDraftChecks, startBacktest } from './backtests/service.ts'
import { tryDraft } from './backtests/trial.ts'
import * as analyses from './checks/check-schema.ts'
import { loadVisibleAnalysis, rerunCheck } from './checks/queries.ts'
import * as settings from './checks/schema.ts'
import { loadAnalysisSettings, saveAnalysisSettings } from './checks/service.ts'
import * as model from './model/schema.ts'
import { loadAnalysisProvider, listModelRequests } from './model/service.ts'
import * as runs from './recalculations/schema.ts'
import {
  cancelRecalculation,
  confirmRecalculation,
  createRecalculation,
  loadRecalculation,
  listRecalculations,
} from './recalculations/service.ts'
import * as reviews from './reviews/schema.ts'
import { disputeFinding, judgeFinding, undoDecision } from './reviews/service.ts'
import { countReviews } from './reviews/counts.ts'
import { listPendingReviews } from './reviews/pending-reviews.ts'
import * as ruleSets from './rule-sets/operations.ts'
import { archiveRuleSet, updateRuleSet, createRuleSet, listRuleSets, loadRuleSet } from './rule-sets/service.ts'
import { moveRuleSet } from './rule-sets/order.ts'
import * as versions from './rule-sets/versions.ts'
import { collectBodyViolations } from './rule-sets/violations.ts'

export const checkRoutes: Route[] = [
  route(settings.readAnalysisSettings, ({ core }) => loadAnalysisSettings(core.pool)),
  route(settings.changeAnalysisSettings, ({ core, actor, body }) => saveAnalysisSettings(core, actor, body)),
  route(analyses.readAnalysis, ({ core, actor, id, query }) => loadVisibleAnalysis(core, actor, id, query)),
  route(analyses.rerunAnalysis, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    return rerunCheck(core, actor, id)
  }),

  route(ruleSets.listRuleSets, ({ core, actor, query }) => listRuleSets(core, personOf(actor), query)),
  route(ruleSets.readRuleSet, ({ core, actor, id }) => loadRuleSet(core, personOf(actor), id)),
  route(ruleSets.listRuleSetVersions, ({ core, actor, id, query }) =>
    versions.listRuleSetVersions(core, personOf(actor), id, query),
  ),
  route(ruleSets.readRuleSetVersion, ({ ctx, core, actor, id }) =>
    versions.loadRuleSetVersion(core, personOf(actor), id, ctx.params.version),
  ),
  route({ ...ruleSets.createRuleSet, moreViolations: collectBodyViolations }, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/rule-sets', await createRuleSet(core, requirePerson(actor), body)),
  ),
  route(ruleSets.changeRuleSet, ({ core, actor, id, body }) => updateRuleSet(core, requirePerson(actor), id, body)),
  route(ruleSets.moveRuleSet, ({ core, actor, id, body }) => moveRuleSet(core, requirePerson(actor), id, body)),
  route(ruleSets.archiveRuleSet, async ({ ctx, core, actor, id }) => {
    await archiveRuleSet(core, requirePerson(actor), id)
    ctx.status = 204
  }),
  route({ ...ruleSets.saveRuleSetDraft, moreViolations: collectBodyViolations }, ({ core, actor, id, body }) =>
    versions.saveRuleSetDraft(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.deleteRuleSetDraft, async ({ ctx, core, actor, id, query }) => {
    await versions.deleteRuleSetDraft(core, requirePerson(actor), id, query.revision)
    ctx.status = 204
  }),
  route(ruleSets.publishRuleSetDraft, ({ core, actor, id, body }) =>
    versions.publishRuleSetDraft(core, requirePerson(actor), id, body),
  ),
  route(ruleSets.restoreRuleSetVersion, ({ ctx, core, actor, id }) =>
    versions.restoreRuleSetVersion(core, requirePerson(actor), id, ctx.params.version),
  ),

  route(reviews.judgeFinding, ({ ctx, core, actor, id, body }) =>
    judgeFinding(core, requirePerson(actor), id, ctx.params.findingId, body),
  ),
  route(reviews.undoDecision, ({ ctx, core, actor, id }) =>
    undoDecision(core, requirePerson(actor), id, ctx.params.findingId),
  ),
  route(reviews.disputeFinding, async ({ ctx, core, actor, id, body }) => {
    ctx.status = 201
    return disputeFinding(core, requirePerson(actor), id, ctx.params.findingId, body.comment)
  }),
  route(reviews.listReviews, ({ core, actor, query }) => listPendingReviews(core, actor, query)),
  route(reviews.countReviews, ({ core, actor, query }) => countReviews(core, requirePerson(actor), query)),

  route(model.readAnalysisProvider, ({ core }) => loadAnalysisProvider(core)),
  route(model.listModelRequests, ({ core, query }) => listModelRequests(core, query)),

  route(backtests.tryRuleSetDraft, ({ ctx, core, actor, id, body }) =>
    tryDraft(core, requirePerson(actor), id, body, clientAbortSignal(ctx)),
  ),
  route(backtests.estimateRuleSetDraft, ({ core, actor, id, body }) =>
    estimateDraftChecks(core, requirePerson(actor), id, body),
  ),
  route(backtests.readRuleSetReach, ({ core, actor, id, query }) =>
    loadRuleSetReach(core, requirePerson(actor), id, query),
  ),
  route(backtests.createBacktest, async ({ ctx, core, actor, id, body }) =>
    respondCreated(ctx, '/v1/backtests', await startBacktest(core, requirePerson(actor), id, { limit: 1000, ...body })),
  ),
  route(backtests.listBacktests, ({ core, actor, id, query }) => listBacktests(core, personOf(actor), id, query)),
  route(backtests.readBacktest, ({ core, actor, id }) => loadBacktest(core, core.pool, personOf(actor), id)),
  route(backtests.listBacktestCalls, ({ core, actor, id, query }) =>
    listChangedCalls(core, requirePerson(actor), id, query),
  ),
  route(backtests.cancelBacktest, ({ core, actor, id }) => cancelBacktest(core, requirePerson(actor), id)),

  route(runs.createAnalysisRun, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/analysis-runs', await createRecalculation(core, requirePerson(actor), body)),
  ),
  route(runs.listAnalysisRuns, ({ core, actor, query }) => listRecalculations(core, personOf(actor), query)),
  route(runs.readAnalysisRun, ({ core, actor, id }) => loadRecalculation(core.pool, personOf(actor), id)),
  route(runs.confirmAnalysisRun, ({ core, actor, id }) => confirmRecalculation(core, requirePerson(actor), id)),
  route(runs.cancelAnalysisRun, ({ core, actor, id }) => cancelRecalculation(core, requirePerson(actor), id)),
]
