import { personOf, asPerson } from '../../platform/http/actor.ts'
import type { Context } from 'koa'
import { route, type Route } from '../../platform/http/route.ts'
import * as operations from './operations.ts'
import { archiveSet, changeSet, createSet, listSets, readSet } from './service.ts'
import { violationsOfRules } from './violations.ts'
import { deleteDraft, listVersions, publishDraft, readVersion, restoreVersion, saveDraft } from './versions.ts'

const versionOf = (ctx: Context): string => (ctx.params as { version: string }).version

export const ruleSetRoutes: Route[] = [
  route(operations.listRuleSets, ({ core, actor, query }) => listSets(core, personOf(actor), query)),
  route(operations.readRuleSet, ({ core, actor, id }) => readSet(core, personOf(actor), id)),
  route(operations.listRuleSetVersions, ({ core, actor, id, query }) => listVersions(core, personOf(actor), id, query)),

  route(operations.readRuleSetVersion, ({ ctx, core, actor, id }) =>
    readVersion(core, personOf(actor), id, versionOf(ctx)),
  ),

  route({ ...operations.createRuleSet, moreViolations: violationsOfRules }, async ({ ctx, core, actor, body }) => {
    const made = await createSet(core, asPerson(actor), body)
    ctx.status = 201
    ctx.set('Location', `/v1/rule-sets/${made.id}`)
    return made
  }),

  route(operations.changeRuleSet, ({ core, actor, id, body }) => changeSet(core, asPerson(actor), id, body)),

  route(operations.archiveRuleSet, async ({ ctx, core, actor, id }) => {
    await archiveSet(core, asPerson(actor), id)
    ctx.status = 204
  }),

  route({ ...operations.saveDraft, moreViolations: violationsOfRules }, ({ core, actor, id, body }) =>
    saveDraft(core, asPerson(actor), id, body),
  ),

  route(operations.deleteDraft, async ({ ctx, core, actor, id, query }) => {
    await deleteDraft(core, asPerson(actor), id, query.revision)
    ctx.status = 204
  }),

  route(operations.publishDraft, ({ core, actor, id, body }) => publishDraft(core, asPerson(actor), id, body)),

  route(operations.restoreVersion, ({ ctx, core, actor, id }) =>
    restoreVersion(core, asPerson(actor), id, versionOf(ctx)),
  ),
]
