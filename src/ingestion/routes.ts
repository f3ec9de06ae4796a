import { route, type Route } from '../http/route.ts'
import { readIngestion } from './schema.ts'
import { describeIngestion } from './service.ts'

export const ingestionRoutes: Route[] = [
  route(readIngestion, async ({ ctx, core }) => {
    ctx.body = await describeIngestion(core)
  }),
]
