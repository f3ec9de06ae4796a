import type { Redis } from 'ioredis'
import type Koa from 'koa'
import { analysisRoutes } from './analysis/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import type { LoginThrottle } from './auth/throttle.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import type { Core } from './core.ts'
import { createApp } from './http/app.ts'
import { departmentRoutes } from './departments/routes.ts'
import { docsRoutes } from './http/docs.ts'
import type { Operation } from './http/operation.ts'
import type { Route } from './http/route.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { jobRoutes } from './queue/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { recordingRoutes } from './recordings/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { transcriptRoutes } from './transcripts/routes.ts'

/** Every route of the API, in the order the router tries them. */
export function apiRoutes(redis: Redis, throttle: LoginThrottle): Route[] {
  const routes = [
    ...systemRoutes(redis),
    ...authRoutes(throttle),
    ...peopleRoutes,
    ...departmentRoutes,
    ...auditRoutes,
    ...recordingRoutes,
    ...transcriptRoutes,
    ...callbackRoutes,
    ...analysisRoutes,
    ...ingestionRoutes,
    ...jobRoutes,
    ...statsRoutes,
  ]
  return [...routes, ...docsRoutes(routes.map(({ operation }) => operation))]
}

/** The same as operations alone, for those who describe them: no handler runs, so what handlers need may be missing. */
export const apiOperations = (): Operation[] =>
  apiRoutes(undefined as never, undefined as never).map(({ operation }) => operation)

/** The API as a Koa app. */
export function createApi(core: Core, redis: Redis, throttle: LoginThrottle): Koa {
  return createApp(core, apiRoutes(redis, throttle))
}
