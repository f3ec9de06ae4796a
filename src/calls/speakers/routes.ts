import { personOf, requirePerson } from '../../platform/http/actor.ts'
import { respondCreated, route, type RouteHandlerInput, type Route } from '../../platform/http/route.ts'
import type { CallsCore } from '../core.ts'
import { loadAgentChannel } from '../transcripts/speakers.ts'
import * as runs from './runs-schema.ts'
import {
  cancelSeparationRun,
  confirmSeparationRun,
  createSeparationRun,
  listSeparationRuns,
  loadSeparationRun,
} from './runs.ts'
import {
  changeSpeakersOperation,
  readSeparationOperation,
  readSpeakersOperation,
  separateSpeakersOperation,
} from './schema.ts'
import { loadSeparation, requestSeparation } from './separations.ts'
import { updateCallSpeakers } from './service.ts'

export const speakerRoutes: Route[] = [
  route(readSpeakersOperation, ({ core, actor, id }) => loadAgentChannel(core.pool, actor, id)),
  route(
    changeSpeakersOperation,
    ({ core, actor, id, body }: RouteHandlerInput<typeof changeSpeakersOperation, CallsCore>) =>
      updateCallSpeakers(core, actor, id, body),
  ),
  route(readSeparationOperation, ({ core, actor, id }) => loadSeparation(core, actor, id)),
  route(separateSpeakersOperation, async ({ ctx, core, actor, id }) => {
    ctx.status = 202
    return requestSeparation(core, actor, id)
  }),

  route(runs.createSeparationRunOperation, async ({ ctx, core, actor, body }) =>
    respondCreated(ctx, '/v1/separation-runs', await createSeparationRun(core, requirePerson(actor), body)),
  ),
  route(runs.listSeparationRunsOperation, ({ core, actor, query }) => listSeparationRuns(core, personOf(actor), query)),
  route(runs.readSeparationRunOperation, ({ core, actor, id }) => loadSeparationRun(core.pool, personOf(actor), id)),
  route(runs.confirmSeparationRunOperation, ({ core, actor, id }) =>
    confirmSeparationRun(core, requirePerson(actor), id),
  ),
  route(runs.cancelSeparationRunOperation, ({ core, actor, id }) =>
    cancelSeparationRun(core, requirePerson(actor), id),
  ),
]
