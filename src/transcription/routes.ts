import { route, type Route } from '../http/route.ts'
import { isPaused } from '../queue/service.ts'
import { forecastQueue } from '../recordings/forecast.ts'
import { transcriptionQueue } from './queue.ts'
import { readQueue } from './schema.ts'

export const transcriptionRoutes: Route[] = [
  route(readQueue, async ({ ctx, core }) => {
    const [{ speed: _, ...forecast }, paused] = await Promise.all([
      forecastQueue(core),
      isPaused(core, transcriptionQueue),
    ])
    ctx.body = { ...forecast, paused }
  }),
]
