import { personOf, requirePerson } from '../../platform/http/actor.ts'
import { respondCreated, route, type HandlerInput, type Route } from '../../platform/http/route.ts'
import type { CallsCore } from '../core.ts'
import { loadSpeakers } from '../transcripts/speakers.ts'
import * as runs from './runs-schema.ts'
import {
  cancelSeparationRun,
  confirmSeparationRun,
  createSeparationRun,
  listSeparationRuns,
  loadSeparationRun,
} from './runs.ts'
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

  route(runs.createSeparationRun, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/separation-runs', await createSeparationRun(core, requirePerson(actor), body)),
  ),
  route(runs.listSeparationRuns, ({ core, actor, query }) => listSeparationRuns(core, personOf(actor), query)),
  route(runs.readSeparationRun, ({ core, actor, id }) => loadSeparationRun(core.pool, personOf(actor), id)),
  route(runs.confirmSeparationRun, ({ core, actor, id }) => confirmSeparationRun(core, requirePerson(actor), id)),
  route(runs.cancelSeparationRun, ({ core, actor, id }) => cancelSeparationRun(core, requirePerson(actor), id)),
]
