import { sayWhy } from '../analysis/rules/why.ts'
import { route, type Route } from '../http/route.ts'
import { editorOf } from '../rule-sets/routes.ts'
import * as operations from './schema.ts'
import { listBacktests, listChanged, readBacktest } from './read.ts'
import { cancelBacktest, estimateDraft, startBacktest, tryDraft } from './service.ts'

export const backtestRoutes: Route[] = [
  route(operations.tryDraft, async ({ ctx, core, actor, id, body }) => {
    const { score, scoreBeforeCritical, coverage, findings } = await tryDraft(core, editorOf(actor), id, body)
    const told = findings.map((finding) => ({ ...finding, why: sayWhy(finding.why, 'en'), whyCode: finding.why }))
    ctx.body = { score, scoreBeforeCritical, coverage, findings: told }
  }),

  route(operations.estimateDraft, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await estimateDraft(core, editorOf(actor), id, body)
  }),

  route(operations.createBacktest, async ({ ctx, core, actor, id, body }) => {
    const made = await startBacktest(core, editorOf(actor), id, { limit: 1000, ...body })
    ctx.status = 201
    ctx.set('Location', `/v1/backtests/${made.id}`)
    ctx.body = made
  }),

  route(operations.listBacktests, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await listBacktests(core, editorOf(actor).person, id, query)
  }),

  route(operations.readBacktest, async ({ ctx, core, actor, id }) => {
    ctx.body = await readBacktest(core, editorOf(actor).person, id)
  }),

  route(operations.listBacktestCalls, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await listChanged(core, editorOf(actor), id, query)
  }),

  route(operations.cancelBacktest, async ({ ctx, core, actor, id }) => {
    ctx.body = await cancelBacktest(core, editorOf(actor), id)
  }),
]
