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
import { readQuarantine } from './quarantine/service.ts'
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

const CHANGES = [
  ['confirm', automation.confirmAutomation],
  ['enable', automation.enableAutomation],
  ['pause', automation.pauseAutomation],
  ['resume', automation.resumeAutomation],
  ['disable', automation.disableAutomation],
] as const

export const crmRoutes: Route[] = [
  route(automation.readConnection, ({ core }) => describeConnection(core)),

  route(automation.checkConnection, ({ core, actor }) => checkConnection(core, actor)),

  route(automation.readAutomation, ({ core }) => describeAutomation(core)),

  ...CHANGES.map(([change, operation]) =>
    route(operation, async ({ ctx, core, actor }) => {
      await changeAutomation(core, actor, change)
      ctx.body = await describeAutomation(core)
    }),
  ),

  route(steps.readSteps, ({ core }) => describeSteps(core)),

  route(listQuarantine, ({ core, query }) => readQuarantine(core, query)),

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

  route(managers.determineManagers, async ({ core, actor }) => ({ items: await determineManagers(core, actor) })),

  route(managers.readRoster, ({ core }) => readRoster(core)),

  route(managers.putRoster, ({ core, actor, body }) => putRoster(core, actor, body)),

  route(managers.listFunnels, ({ core }) => listFunnels(core)),
]
