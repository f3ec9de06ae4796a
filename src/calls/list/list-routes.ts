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
import { suggestions } from './suggestions-schema.ts'
import { suggestQueries } from './suggestions.ts'
import { changeSynonyms, readSynonyms } from './synonyms-schema.ts'
import { loadSynonymGroups, saveSynonymGroups } from './synonyms.ts'

export const listRoutes: Route[] = [
  route(listRecordings, ({ core, actor, query }) => listPage(core, actor, query)),

  route(catalog, ({ core, actor, query }) => readCatalog(core, actor, query)),

  route(facets, ({ core, actor, query }) => readFacets(core, actor, query)),

  route(excerpts, async ({ core, actor, query }) => ({ items: await readExcerpts(core, actor, query) })),

  route(suggestions, async ({ core, actor, query }) => ({ items: await suggestQueries(core, actor, query.q) })),

  route(neighbours, ({ core, actor, id, query }) => readNeighbours(core, actor, id, query)),

  route(readSynonyms, async ({ core }) => ({ groups: await loadSynonymGroups(core.pool) })),

  route(changeSynonyms, ({ core, actor, body }) => saveSynonymGroups(core, actor, body.groups)),
]
