import { route, type Route } from '../../platform/http/route.ts'
import { isJobQueuePaused } from '../jobs/service.ts'
import { loadTranscriptionQueueForecast } from '../recordings/forecast.ts'
import { transcriptionQueue } from './queue.ts'
import { loadPartialText } from './partial-text.ts'
import {
  changeTranscriptionSettingsOperation,
  readPartialTextOperation,
  readTranscriptionQueueOperation,
  readTranscriptionSettingsOperation,
} from './schema.ts'
import { loadTranscriptionSettings, saveTranscriptionSettings } from './settings.ts'

export const transcriptionRoutes: Route[] = [
  route(readTranscriptionQueueOperation, async ({ core }) => {
    const [{ speed: _, ...forecast }, paused] = await Promise.all([
      loadTranscriptionQueueForecast(core),
      isJobQueuePaused(core, transcriptionQueue),
    ])
    return { ...forecast, paused }
  }),

  route(readTranscriptionSettingsOperation, ({ core }) => loadTranscriptionSettings(core.pool)),
  route(changeTranscriptionSettingsOperation, ({ core, actor, body }) => saveTranscriptionSettings(core, actor, body)),

  route(readPartialTextOperation, async ({ core, actor, id, query: { last } }) => ({
    segments: await loadPartialText(core, actor, id, last),
  })),
]
