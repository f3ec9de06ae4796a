import { loadSpeakers } from '../calls/transcripts/speakers.ts'
import { asPerson, personOf } from '../platform/http/actor.ts'
import { created, route, type Route } from '../platform/http/route.ts'
import { clientAbortSignal } from '../platform/http/waiting.ts'
import * as backtests from './backtests/operations.ts'
import { findBacktest, listBacktests, listChanged } from './backtests/read.ts'
import { cancelBacktest, estimateDraft, startBacktest } from './backtests/service.ts'
import { tryDraft } from './backtests/trial.ts'
import * as analyses from './checks/check-schema.ts'
import { findAnalysis, rerunCheck } from './checks/read.ts'
import * as settings from './checks/schema.ts'
import { loadSettings, saveSettings, saveSpeakers } from './checks/service.ts'
import * as model from './model/schema.ts'
import { describeProvider, listRequests } from './model/service.ts'
import * as runs from './recalculations/schema.ts'
import { cancelRun, confirmRun, estimateRun, findRun, listRuns } from './recalculations/service.ts'
import * as reviews from './reviews/schema.ts'
import { disputeFinding, judgeFinding } from './reviews/service.ts'
import { listWaiting } from './reviews/waiting.ts'
import * as ruleSets from './rule-sets/operations.ts'
import { archiveSet, changeSet, createSet, listSets, readSet } from './rule-sets/service.ts'
import * as versions from './rule-sets/versions.ts'
import { violationsOfRules } from './rule-sets/violations.ts'

export const checkRoutes: Route[] = [
  route(settings.readSettings, ({ core }) => loadSettings(core.pool)),
  route(settings.changeSettings, ({ core, actor, body }) => saveSettings(core, actor, body)),
  route(settings.readSpeakers, ({ core, actor, id }) => loadSpeakers(core.pool, actor, id)),
  route(settings.changeSpeakers, ({ core, actor, id, body }) =>
    saveSpeakers(core, actor, id, body.agentChannel ?? null),
  ),
  route(analyses.readAnalysis, ({ core, actor, id, query }) => findAnalysis(core, actor, id, query)),
  route(analyses.rerunAnalysis, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    return rerunCheck(core, actor, id)
  }),

  route(ruleSets.listRuleSets, ({ core, actor, query }) => listSets(core, personOf(actor), query)),
  route(ruleSets.readRuleSet, ({ core, actor, id }) => readSet(core, personOf(actor), id)),
  route(ruleSets.listRuleSetVersions, ({ core, actor, id, query }) =>
    versions.listVersions(core, personOf(actor), id, query),
  ),
  route(ruleSets.readRuleSetVersion, ({ ctx, core, actor, id }) =>
    versions.readVersion(core, personOf(actor), id, ctx.params.version),
  ),
  route({ ...ruleSets.createRuleSet, moreViolations: violationsOfRules }, async ({ ctx, core, actor, body }) =>
    created(ctx, '/v1/rule-sets', await createSet(core, asPerson(actor), body)),
  ),
  route(ruleSets.changeRuleSet, ({ core, actor, id, body }) => changeSet(core, asPerson(actor), id, body)),
  route(ruleSets.archiveRuleSet, async ({ ctx, core, actor, id }) => {
    await archiveSet(core, asPerson(actor), id)
    ctx.status = 204
  }),
  route({ ...ruleSets.saveDraft, moreViolations: violationsOfRules }, ({ core, actor, id, body }) =>
    versions.saveDraft(core, asPerson(actor), id, body),
  ),
  route(ruleSets.deleteDraft, async ({ ctx, core, actor, id, query }) => {
    await versions.deleteDraft(core, asPerson(actor), id, query.revision)
    ctx.status = 204
  }),
  route(ruleSets.publishDraft, ({ core, actor, id, body }) => versions.publishDraft(core, asPerson(actor), id, body)),
  route(ruleSets.restoreVersion, ({ ctx, core, actor, id }) =>
    versions.restoreVersion(core, asPerson(actor), id, ctx.params.version),
  ),

  route(reviews.judgeFinding, ({ ctx, core, actor, id, body }) =>
    judgeFinding(core, asPerson(actor), id, ctx.params.findingId, body),
  ),
  route(reviews.disputeFinding, async ({ ctx, core, actor, id, body }) => {
    ctx.status = 201
    return disputeFinding(core, asPerson(actor), id, ctx.params.findingId, body.comment)
  }),
  route(reviews.listReviews, ({ core, actor, query }) => listWaiting(core, actor, query)),

  route(model.readProvider, ({ core }) => describeProvider(core)),
  route(model.listModelRequests, ({ core, query }) => listRequests(core, query)),

  route(backtests.tryDraft, ({ ctx, core, actor, id, body }) =>
    tryDraft(core, asPerson(actor), id, body, clientAbortSignal(ctx)),
  ),
  route(backtests.estimateDraft, ({ core, actor, id, body }) => estimateDraft(core, asPerson(actor), id, body)),
  route(backtests.createBacktest, async ({ ctx, core, actor, id, body }) =>
    created(ctx, '/v1/backtests', await startBacktest(core, asPerson(actor), id, { limit: 1000, ...body })),
  ),
  route(backtests.listBacktests, ({ core, actor, id, query }) => listBacktests(core, personOf(actor), id, query)),
  route(backtests.readBacktest, ({ core, actor, id }) => findBacktest(core, core.pool, personOf(actor), id)),
  route(backtests.listBacktestCalls, ({ core, actor, id, query }) => listChanged(core, asPerson(actor), id, query)),
  route(backtests.cancelBacktest, ({ core, actor, id }) => cancelBacktest(core, asPerson(actor), id)),

  route(runs.createAnalysisRun, async ({ ctx, core, actor, body }) =>
    created(ctx, '/v1/analysis-runs', await estimateRun(core, asPerson(actor), body)),
  ),
  route(runs.listAnalysisRuns, ({ core, actor, query }) => listRuns(core, personOf(actor), query)),
  route(runs.readAnalysisRun, ({ core, actor, id }) => findRun(core.pool, personOf(actor), id)),
  route(runs.confirmAnalysisRun, ({ core, actor, id }) => confirmRun(core, asPerson(actor), id)),
  route(runs.cancelAnalysisRun, ({ core, actor, id }) => cancelRun(core, asPerson(actor), id)),
]
