import { route, type Route } from '../../platform/http/route.ts'
import { readHistory, readWaveform } from './timeline.ts'
import { history, waveform } from './timeline-schema.ts'

export const timelineRoutes: Route[] = [
  route(history, async ({ ctx, core, actor, id }) => {
    ctx.body = { items: await readHistory(core, actor, id) }
  }),

  route(waveform, async ({ ctx, core, actor, id }) => {
    ctx.body = await readWaveform(core, actor, id)
  }),
]
