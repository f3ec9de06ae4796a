import { route, type Route } from '../../platform/http/route.ts'
import { changeIngestion, readIngestion } from './schema.ts'
import { loadIngestionState, setIngestionPaused } from './service.ts'

export const ingestionRoutes: Route[] = [
  route(readIngestion, ({ core }) => loadIngestionState(core)),

  route(changeIngestion, async ({ core, actor, body }) => {
    await setIngestionPaused(core, actor, body.paused)
    return loadIngestionState(core)
  }),
]
