import { route, type Route } from '../../platform/http/route.ts'
import { listRecordings } from '../recordings/operations.ts'
import { readCatalog } from './catalog.ts'
import { excerpts } from './excerpts-schema.ts'
import { readExcerpts } from './excerpts.ts'
import { readFacets } from './facets.ts'
import { listPage } from './listing.ts'
import { neighbours } from './neighbours-schema.ts'
import { readNeighbours } from './neighbours.ts'
import { catalog, facets } from './overview-schema.ts'

export const listRoutes: Route[] = [
  route(listRecordings, async ({ ctx, core, actor, query }) => {
    ctx.body = await listPage(core, actor, query)
  }),

  route(catalog, async ({ ctx, core, actor, query }) => {
    ctx.body = await readCatalog(core, actor, query)
  }),

  route(facets, async ({ ctx, core, actor, query }) => {
    ctx.body = await readFacets(core, actor, query)
  }),

  route(excerpts, async ({ ctx, core, actor, query }) => {
    ctx.body = { items: await readExcerpts(core, actor, query) }
  }),

  route(neighbours, async ({ ctx, core, actor, id, query }) => {
    ctx.body = await readNeighbours(core, actor, id, query)
  }),
]
