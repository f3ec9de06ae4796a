import { route, type Route } from '../../platform/http/route.ts'
import { readAnalysis, rerunAnalysis } from './check-schema.ts'
import { findAnalysis, rerunCheck } from './read.ts'
import { changeSettings, changeSpeakers, readSettings, readSpeakers } from './schema.ts'
import { loadSpeakers } from '../../calls/transcripts/speakers.ts'
import { loadSettings, saveSettings, saveSpeakers } from './service.ts'

export const analysisRoutes: Route[] = [
  route(readSettings, ({ core }) => loadSettings(core)),
  route(changeSettings, ({ core, actor, body }) => saveSettings(core, actor, body)),
  route(readSpeakers, ({ core, actor, id }) => loadSpeakers(core.pool, actor, id)),
  route(changeSpeakers, ({ core, actor, id, body }) => saveSpeakers(core, actor, id, body.agentChannel ?? null)),
  route(readAnalysis, ({ core, actor, id, query }) => findAnalysis(core, actor, id, query)),

  route(rerunAnalysis, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    ctx.body = await rerunCheck(core, actor, id)
  }),
]
