import type { Core } from '../platform/core.ts'
import { route, type Route } from '../platform/http/route.ts'
import * as automation from './automation/schema.ts'
import { changeAutomation, checkConnection, describeConnection } from './automation/service.ts'
import { currentAutomation } from './automation/state.ts'
import { determineManagers } from './managers/determine.ts'
import { listFunnels } from './managers/funnels.ts'
import { putRoster, readRoster } from './managers/roster.ts'
import * as managers from './managers/schema.ts'
import { listQuarantine } from './quarantine/schema.ts'
import { listQuarantinedRows } from './quarantine/service.ts'
import { describeSteps, resetAll, resetStep, runNow } from './steps/manage.ts'
import * as steps from './steps/schema.ts'

async function describeAutomation(core: Core): Promise<automation.AutomationJson> {
  const [row, all] = await Promise.all([currentAutomation(core), describeSteps(core)])
  return {
    state: row.state,
    reason: row.state === 'blocked' ? row.reason : null,
    confirmedAt: row.confirmedAt?.toISOString() ?? null,
    enabledAt: row.enabledAt?.toISOString() ?? null,
    steps: all,
  }
}

export const crmRoutes: Route[] = [
  route(automation.readConnection, async ({ ctx, core }) => {
    ctx.body = await describeConnection(core)
  }),

  route(automation.checkConnection, async ({ ctx, core, actor }) => {
    ctx.body = await checkConnection(core, actor)
  }),

  route(automation.readAutomation, async ({ ctx, core }) => {
    ctx.body = await describeAutomation(core)
  }),

  ...Object.entries(automation.AUTOMATION_CHANGES).map(([change, operation]) =>
    route(operation, async ({ ctx, core, actor }) => {
      await changeAutomation(core, actor, change as automation.AutomationChange)
      ctx.body = await describeAutomation(core)
    }),
  ),

  route(steps.readSteps, async ({ ctx, core }) => {
    ctx.body = await describeSteps(core)
  }),

  route(listQuarantine, async ({ ctx, core, query }) => {
    ctx.body = await listQuarantinedRows(core, query)
  }),

  route(steps.runStepNow, async ({ ctx, core, actor }) => {
    ctx.body = await runNow(core, actor, ctx.params.name)
    ctx.status = 202
  }),

  route(steps.resetStep, async ({ ctx, core, actor }) => {
    ctx.body = await resetStep(core, actor, ctx.params.name)
    ctx.status = 202
  }),

  route(steps.resetAll, async ({ ctx, core, actor }) => {
    ctx.body = await resetAll(core, actor)
    ctx.status = 202
  }),

  route(managers.determineManagers, async ({ ctx, core, actor }) => {
    ctx.body = { items: await determineManagers(core, actor) }
  }),

  route(managers.readRoster, async ({ ctx, core }) => {
    ctx.body = await readRoster(core)
  }),

  route(managers.putRoster, async ({ ctx, core, actor, body }) => {
    ctx.body = await putRoster(core, actor, body)
  }),

  route(managers.listFunnels, async ({ ctx, core }) => {
    ctx.body = await listFunnels(core)
  }),
]
