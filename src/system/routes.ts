import type { Redis } from 'ioredis'
import { notFound } from '../errors.ts'
import { route, type Route } from '../http/route.ts'
import { isInsideAddress } from '../lib/net-guard.ts'
import { collectMetrics } from './metrics.ts'
import { healthz, metrics, readyz, system } from './schema.ts'
import { describeSystem, readiness } from './service.ts'

export const systemRoutes = (redis: Redis): Route[] => [
  route(healthz, ({ ctx }) => {
    ctx.body = { status: 'ok' }
  }),

  route(readyz, async ({ ctx, core }) => {
    ctx.body = await readiness(core, redis)
  }),

  route(system, async ({ ctx, core }) => {
    ctx.body = await describeSystem(core, redis)
  }),

  route(metrics, async ({ ctx, core }) => {
    if (!isInsideAddress(ctx.ip)) throw notFound()
    const { type, text } = await collectMetrics(core, redis)
    ctx.type = type
    ctx.body = text
  }),
]
