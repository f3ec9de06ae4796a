import { route, type Route } from '../http/route.ts'
import { excerpts } from './evidence-schema.ts'
import { readExcerpts } from './excerpts.ts'

/** What is known of a recording besides itself. */
export const evidenceRoutes: Route[] = [
  // Before the routes with {id}: a fixed path wins over a parameter.
  route(excerpts, async ({ ctx, core, actor, query }) => {
    ctx.body = { items: await readExcerpts(core, actor, query) }
  }),
]
