import { route, type Route } from '../../platform/http/route.ts'
import { listCalls } from './calls.ts'
import { listReconciledCalls } from './calls-schema.ts'
import { readReconciliation } from './schema.ts'
import { reconcile } from './service.ts'

export const crmReconciliationRoutes: Route[] = [
  route(readReconciliation, ({ core, actor, query }) => reconcile(core, actor, query)),

  route(listReconciledCalls, ({ core, actor, query }) => listCalls(core, actor, query)),
]
