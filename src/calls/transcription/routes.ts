import { route, type Route } from '../../platform/http/route.ts'
import { isJobQueuePaused } from '../jobs/service.ts'
import { loadQueueForecast } from '../recordings/forecast.ts'
import { transcriptionQueue } from './queue.ts'
import { loadPartialText } from './partial-text.ts'
import {
  changeTranscriptionSettings,
  readPartialTextOperation,
  readQueue,
  readTranscriptionSettings,
} from './schema.ts'
import { loadTranscriptionSettings, saveTranscriptionSettings } from './settings.ts'

export const transcriptionRoutes: Route[] = [
  route(readQueue, async ({ core }) => {
    const [{ speed: _, ...forecast }, paused] = await Promise.all([
      loadQueueForecast(core),
      isJobQueuePaused(core, transcriptionQueue),
    ])
    return { ...forecast, paused }
  }),

  route(readTranscriptionSettings, ({ core }) => loadTranscriptionSettings(core.pool)),
  route(changeTranscriptionSettings, ({ core, actor, body }) => saveTranscriptionSettings(core, actor, body)),

  route(readPartialTextOperation, async ({ core, actor, id, query: { last } }) => ({
    segments: await loadPartialText(core, actor, id, last),
  })),
]
