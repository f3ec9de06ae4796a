import type Koa from 'koa'
import { reportRoutes } from '../reports/routes.ts'
import { auditRoutes } from '../platform/audit/routes.ts'
import { authRoutes } from '../people/auth/routes.ts'
import { callbackRoutes } from '../calls/callbacks/routes.ts'
import { recordingFinishedWebhook } from '../calls/callbacks/schema.ts'
import { callCheckRoutes } from '../check/routes.ts'
import type { AppCore } from './core.ts'
import { authenticateRequest, applySeeAsHeader } from '../people/auth/actor.ts'
import { crmRoutes } from '../crm/routes.ts'
import { createKoaApp } from '../platform/http/app.ts'
import { departmentRoutes } from '../people/departments/routes.ts'
import { createDocsRoutes } from '../platform/http/docs.ts'
import type { Operation } from '../platform/http/operation.ts'
import type { Route } from '../platform/http/route.ts'
import { ingestionRoutes } from '../calls/ingestion/routes.ts'
import { peopleRoutes } from '../people/people/routes.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { createQueueRoutes } from '../calls/jobs/routes.ts'
import { BACKGROUND_QUEUES } from './queues.ts'
import { recordingRoutes } from '../calls/recordings/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { speakerRoutes } from '../calls/speakers/routes.ts'
import { transcriptionRoutes } from '../calls/transcription/routes.ts'
import { transcriptRoutes } from '../calls/transcripts/routes.ts'
import { workRoutes } from '../work/routes.ts'

/** The requests that the service sends to other systems, for the API description. */
export const API_WEBHOOKS = [recordingFinishedWebhook]

/** Collects the routes in the order in which the router tries them. */
function collectRoutes(queues: readonly Queue[]): Route[] {
  const routes = [
    ...systemRoutes,
    ...authRoutes,
    ...peopleRoutes,
    ...departmentRoutes,
    ...auditRoutes,
    ...recordingRoutes,
    ...transcriptRoutes,
    ...callbackRoutes,
    ...callCheckRoutes,
    ...ingestionRoutes,
    ...crmRoutes,
    ...transcriptionRoutes,
    ...speakerRoutes,
    ...createQueueRoutes(queues),
    ...reportRoutes,
    ...workRoutes,
  ]
  return [
    ...routes,
    ...createDocsRoutes(
      routes.map(({ operation }) => operation),
      API_WEBHOOKS,
    ),
  ]
}

/** Lists the operations of all modules and queues, for the API description and for tests. */
export const listApiOperations = (): Operation[] => collectRoutes(BACKGROUND_QUEUES).map(({ operation }) => operation)

/**
 * Creates the Koa app of the API. It authenticates each request and applies the header by which an owner sees the data of another
 * person.
 */
export function createApiApp(core: AppCore): Koa {
  return createKoaApp(core, collectRoutes(core.queues), async (own, headers, operation) =>
    applySeeAsHeader(own, await authenticateRequest(own, headers), operation, headers),
  )
}
