import { route, type Route } from '../../platform/http/route.ts'
import { changeIngestionOperation, readIngestionOperation } from './schema.ts'
import { loadIngestionState, setIngestionPaused } from './service.ts'

export const ingestionRoutes: Route[] = [
  route(readIngestionOperation, ({ core }) => loadIngestionState(core)),

  route(changeIngestionOperation, async ({ core, actor, body }) => {
    await setIngestionPaused(core, actor, body.paused)
    return loadIngestionState(core)
  }),
]
