import { route, type Route } from '../../platform/http/route.ts'
import { listCalls } from './calls.ts'
import { listReconciledCalls } from './calls-schema.ts'
import { readReconciliation } from './schema.ts'
import { reconcile } from './service.ts'

export const crmReconciliationRoutes: Route[] = [
  route(readReconciliation, async ({ ctx, core, actor, query }) => {
    ctx.body = await reconcile(core, actor, query)
  }),

  route(listReconciledCalls, async ({ ctx, core, actor, query }) => {
    ctx.body = await listCalls(core, actor, query)
  }),
]
