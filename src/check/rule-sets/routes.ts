import { personOf, asPerson } from '../../platform/http/actor.ts'
import type { Context } from 'koa'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './operations.ts'
import { archiveSet, changeSet, createSet, listSets, readSet } from './service.ts'
import { violationsOfRules } from './violations.ts'
import { deleteDraft, listVersions, publishDraft, readVersion, restoreVersion, saveDraft } from './versions.ts'

const versionOf = (ctx: Context): string => (ctx.params as { version: string }).version

export const ruleSetRoutes: Route[] = [
  route(operations.listRuleSets, async ({ ctx, core, actor, query }) => {
    ctx.body = await listSets(core, personOf(actor), query)
  }),

  route(operations.readRuleSet, async ({ ctx, core, actor, id }) => {
    ctx.body = await readSet(core, personOf(actor), id)
  }),

  route(operations.listRuleSetVersions, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await listVersions(core, personOf(actor), id, query)
  }),

  route(operations.readRuleSetVersion, async ({ ctx, core, actor, id }) => {
    ctx.body = await readVersion(core, personOf(actor), id, versionOf(ctx))
  }),

  route({ ...operations.createRuleSet, moreViolations: violationsOfRules }, async ({ ctx, core, actor, body }) => {
    const made = await createSet(core, asPerson(actor), body)
    ctx.status = 201
    ctx.set('Location', `/v1/rule-sets/${made.id}`)
    ctx.body = made
  }),

  route(operations.changeRuleSet, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await changeSet(core, asPerson(actor), id, body)
  }),

  route(operations.archiveRuleSet, async ({ ctx, core, actor, id }) => {
    await archiveSet(core, asPerson(actor), id)
    ctx.status = 204
  }),

  route({ ...operations.saveDraft, moreViolations: violationsOfRules }, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await saveDraft(core, asPerson(actor), id, body)
  }),

  route(operations.deleteDraft, async ({ ctx, core, actor, id, query }) => {
    await deleteDraft(core, asPerson(actor), id, query.revision)
    ctx.status = 204
  }),

  route(operations.publishDraft, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await publishDraft(core, asPerson(actor), id, body)
  }),

  route(operations.restoreVersion, async ({ ctx, core, actor, id }) => {
    ctx.body = await restoreVersion(core, asPerson(actor), id, versionOf(ctx))
  }),
]
