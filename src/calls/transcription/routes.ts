import { route, type Route } from '../../platform/http/route.ts'
import { isPaused } from '../jobs/service.ts'
import { forecastQueue } from '../recordings/forecast.ts'
import { transcriptionQueue } from './queue.ts'
import { readPartialText } from './partial-text.ts'
import { partialText, readQueue } from './schema.ts'

export const transcriptionRoutes: Route[] = [
  route(readQueue, async ({ ctx, core }) => {
    const [{ speed: _, ...forecast }, paused] = await Promise.all([
      forecastQueue(core),
      isPaused(core, transcriptionQueue),
    ])
    ctx.body = { ...forecast, paused }
  }),

  route(partialText, async ({ ctx, core, actor, id, query: { last } }) => {
    ctx.body = { segments: await readPartialText(core, actor, id, last) }
  }),
]
