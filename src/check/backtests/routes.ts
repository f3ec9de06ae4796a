import { asPerson, personOf } from '../../platform/http/actor.ts'
import { sayWhy } from '../rules/why.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { whileWaitedFor } from '../../platform/http/waiting.ts'
import * as operations from './operations.ts'
import { listBacktests, listChanged, readBacktest } from './read.ts'
import { cancelBacktest, estimateDraft, startBacktest, tryDraft } from './service.ts'

export const backtestRoutes: Route[] = [
  route(operations.tryDraft, async ({ ctx, core, actor, id, body }) => {
    const { judgement, ...asked } = await tryDraft(core, asPerson(actor), id, body, whileWaitedFor(ctx))
    const { score, scoreBeforeCritical, coverage, findings } = judgement
    const told = findings.map((finding) => ({ ...finding, why: sayWhy(finding.why, 'en'), whyCode: finding.why }))
    ctx.body = { score, scoreBeforeCritical, coverage, findings: told, ...asked }
  }),

  route(operations.estimateDraft, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await estimateDraft(core, asPerson(actor), id, body)
  }),

  route(operations.createBacktest, async ({ ctx, core, actor, id, body }) => {
    const made = await startBacktest(core, asPerson(actor), id, { limit: 1000, ...body })
    ctx.status = 201
    ctx.set('Location', `/v1/backtests/${made.id}`)
    ctx.body = made
  }),

  route(operations.listBacktests, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await listBacktests(core, personOf(actor), id, query)
  }),

  route(operations.readBacktest, async ({ ctx, core, actor, id }) => {
    ctx.body = await readBacktest(core, personOf(actor), id)
  }),

  route(operations.listBacktestCalls, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await listChanged(core, asPerson(actor), id, query)
  }),

  route(operations.cancelBacktest, async ({ ctx, core, actor, id }) => {
    ctx.body = await cancelBacktest(core, asPerson(actor), id)
  }),
]
