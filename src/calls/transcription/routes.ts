import { route, type Route } from '../../platform/http/route.ts'
import { isPaused } from '../jobs/service.ts'
import { forecastQueue } from '../recordings/forecast.ts'
import { transcriptionQueue } from './queue.ts'
import { readPartialText } from './partial-text.ts'
import { partialText, readQueue } from './schema.ts'

export const transcriptionRoutes: Route[] = [
  route(readQueue, async ({ core }) => {
    const [{ speed: _, ...forecast }, paused] = await Promise.all([
      forecastQueue(core),
      isPaused(core, transcriptionQueue),
    ])
    return { ...forecast, paused }
  }),

  route(partialText, async ({ core, actor, id, query: { last } }) => ({
    segments: await readPartialText(core, actor, id, last),
  })),
]
