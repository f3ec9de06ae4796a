import { route, type Route } from '../../http/route.ts'
import { readHistory, readWaveform } from './timeline.ts'
import { excerpts, history, waveform } from './timeline-schema.ts'
import { readExcerpts } from '../list/excerpts.ts'
import { readNeighbours } from '../list/neighbours.ts'
import { neighbours } from '../list/neighbours-schema.ts'

/** What is known of a recording besides itself. */
export const evidenceRoutes: Route[] = [
  // Before the routes with {id}: a fixed path wins over a parameter.
  route(excerpts, async ({ ctx, core, actor, query }) => {
    ctx.body = { items: await readExcerpts(core, actor, query) }
  }),

  route(history, async ({ ctx, core, actor, id }) => {
    ctx.body = { items: await readHistory(core, actor, id) }
  }),

  route(neighbours, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await readNeighbours(core, actor, id, query)
  }),

  route(waveform, async ({ ctx, core, actor, id }) => {
    ctx.body = await readWaveform(core, actor, id)
  }),
]
