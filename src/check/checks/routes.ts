import { route, type Route } from '../../platform/http/route.ts'
import { changeSettings, changeSpeakers, readSettings, readSpeakers } from './schema.ts'
import { loadSpeakers } from '../../calls/transcripts/speakers.ts'
import { loadSettings, saveSettings, saveSpeakers } from './service.ts'

export const analysisRoutes: Route[] = [
  route(readSettings, async ({ ctx, core }) => {
    ctx.body = await loadSettings(core)
  }),

  route(changeSettings, async ({ ctx, core, actor, body }) => {
    ctx.body = await saveSettings(core, actor, body)
  }),

  route(readSpeakers, async ({ ctx, core, actor, id }) => {
    ctx.body = await loadSpeakers(core.pool, actor, id)
  }),

  route(changeSpeakers, async ({ ctx, core, actor, id, body }) => {
    ctx.body = await saveSpeakers(core, actor, id, body.agentChannel ?? null)
  }),
]
