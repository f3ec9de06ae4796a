import { route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import type { CallsCore } from '../core.ts'
import { loadSpeakers } from '../transcripts/speakers.ts'
import { changeSpeakers, readSeparation, readSpeakers, separateSpeakersOperation } from './schema.ts'
import { loadSeparation, requestSeparation } from './separations.ts'
import { updateSpeakers } from './service.ts'

export const speakerRoutes: Route[] = [
  route(readSpeakers, ({ core, actor, id }) => loadSpeakers(core.pool, actor, id)),
  route(changeSpeakers, ({ core, actor, id, body }: HandlerInput<typeof changeSpeakers, CallsCore>) =>
    updateSpeakers(core, actor, id, body),
  ),
  route(readSeparation, ({ core, actor, id }) => loadSeparation(core, actor, id)),
  route(separateSpeakersOperation, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    return requestSeparation(core, actor, id)
  }),
]
