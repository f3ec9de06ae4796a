import type { Redis } from 'ioredis'
import type Koa from 'koa'
import { authRoutes } from './auth/routes.ts'
import type { LoginThrottle } from './auth/throttle.ts'
import type { Core } from './core.ts'
import { createApp } from './http/app.ts'
import { docsRoutes } from './http/docs.ts'
import type { Route } from './http/route.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { recordingRoutes } from './recordings/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { transcriptRoutes } from './transcripts/routes.ts'

/** Every route of the API, in the order the router tries them. */
export function apiRoutes(redis: Redis, throttle: LoginThrottle): Route[] {
  const routes = [
    ...systemRoutes(redis),
    ...authRoutes(throttle),
    ...recordingRoutes,
    ...transcriptRoutes,
    ...ingestionRoutes,
  ]
  return [...routes, ...docsRoutes(routes.map(({ operation }) => operation))]
}

/** The API as a Koa app. */
export function createApi(core: Core, redis: Redis, throttle: LoginThrottle): Koa {
  return createApp(core, apiRoutes(redis, throttle))
}
