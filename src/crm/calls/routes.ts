import { readText } from '../../platform/http/body.ts'
import { route, type Route } from '../../platform/http/route.ts'
import { parseEvent } from '../bitrix24/event.ts'
import { receiveEvent } from './event-schema.ts'
import { acceptEvent } from './events.ts'

export const crmCallRoutes: Route[] = [
  route(receiveEvent, async ({ ctx, core }) => {
    const body = await readText(core, ctx)
    ctx.body = { accepted: await acceptEvent(core, parseEvent(body, ctx.get('Content-Type'))) }
  }),
]
