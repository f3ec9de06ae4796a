import { route, type Route } from '../../platform/http/route.ts'
import { changeIngestion, readIngestion } from './schema.ts'
import { describeIngestion, setIngestionPaused } from './service.ts'

export const ingestionRoutes: Route[] = [
  route(readIngestion, ({ core }) => describeIngestion(core)),

  route(changeIngestion, async ({ core, actor, body }) => {
    await setIngestionPaused(core, actor, body.paused)
    return describeIngestion(core)
  }),
]
