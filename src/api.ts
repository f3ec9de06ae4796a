import type Koa from 'koa'
import { checkRoutes } from './analysis/check-routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { analysisRoutes } from './analysis/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { backtestRoutes } from './backtests/routes.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import type { Core } from './core.ts'
import { crmCallRoutes } from './crm/calls/routes.ts'
import { crmCommentRoutes } from './crm/comments/routes.ts'
import { crmDealRoutes } from './crm/deals/routes.ts'
import { crmReconciliationRoutes } from './crm/reconciliation/routes.ts'
import { crmHistoryRoutes } from './crm/history/routes.ts'
import { crmRoutes } from './crm/routes.ts'
import { createApp } from './http/app.ts'
import { departmentRoutes } from './departments/routes.ts'
import { docsRoutes } from './http/docs.ts'
import type { Operation } from './http/operation.ts'
import type { Route } from './http/route.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { modelRoutes } from './model/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import type { Queue } from './queue/queue.ts'
import { queueRoutes } from './queue/routes.ts'
import { QUEUES } from './queues.ts'
import { recalculationRoutes } from './recalculations/routes.ts'
import { recordingRoutes } from './recordings/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { ruleSetRoutes } from './rule-sets/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { transcriptionRoutes } from './transcription/routes.ts'
import { transcriptRoutes } from './transcripts/routes.ts'

/** Every route of the API, in the order the router tries them. */
function apiRoutes(queues: readonly Queue[]): Route[] {
  const routes = [
    ...systemRoutes,
    ...authRoutes,
    ...peopleRoutes,
    ...departmentRoutes,
    ...auditRoutes,
    ...recordingRoutes,
    ...transcriptRoutes,
    ...callbackRoutes,
    ...analysisRoutes,
    ...checkRoutes,
    ...ruleSetRoutes,
    ...reviewRoutes,
    ...modelRoutes,
    ...backtestRoutes,
    ...recalculationRoutes,
    ...ingestionRoutes,
    ...crmCallRoutes,
    ...crmDealRoutes,
    ...crmCommentRoutes,
    ...crmHistoryRoutes,
    ...crmReconciliationRoutes,
    ...crmRoutes,
    ...transcriptionRoutes,
    ...queueRoutes(queues),
    ...statsRoutes,
    ...analyticsRoutes,
  ]
  return [...routes, ...docsRoutes(routes.map(({ operation }) => operation))]
}

/** The same as operations alone, for those who describe them. */
export const apiOperations = (): Operation[] => apiRoutes(QUEUES).map(({ operation }) => operation)

export function createApi(core: Core): Koa {
  return createApp(core, apiRoutes(core.queues))
}
