import { route, type Route } from '../../platform/http/route.ts'
import { listRecordings } from '../recordings/operations.ts'
import { loadCatalog } from './catalog.ts'
import { readExcerptsOperation } from './excerpts-schema.ts'
import { loadExcerpts } from './excerpts.ts'
import { loadFacets } from './facets.ts'
import { listRecordingIdsOperation } from './ids-schema.ts'
import { listRecordingIds } from './ids.ts'
import { listVisibleRecordings } from './listing.ts'
import { readNeighboursOperation } from './neighbours-schema.ts'
import { loadNeighbours } from './neighbours.ts'
import { readCatalogOperation, readFacetsOperation } from './overview-schema.ts'
import { readSuggestionsOperation } from './suggestions-schema.ts'
import { suggestQueries } from './suggestions.ts'
import { changeSynonyms, readSynonyms } from './synonyms-schema.ts'
import { loadSynonymGroups, updateSynonymGroups } from './synonyms.ts'

export const listRoutes: Route[] = [
  route(listRecordings, ({ core, actor, query }) => listVisibleRecordings(core, actor, query)),

  route(readCatalogOperation, ({ core, actor, query }) => loadCatalog(core, actor, query)),

  route(readFacetsOperation, ({ core, actor, query }) => loadFacets(core, actor, query)),

  route(readExcerptsOperation, async ({ core, actor, query }) => ({ items: await loadExcerpts(core, actor, query) })),

  route(listRecordingIdsOperation, ({ core, actor, query }) => listRecordingIds(core, actor, query)),

  route(readSuggestionsOperation, async ({ core, actor, query }) => ({
    items: await suggestQueries(core, actor, query.q),
  })),

  route(readNeighboursOperation, ({ core, actor, id, query }) => loadNeighbours(core, actor, id, query)),

  route(readSynonyms, async ({ core }) => ({ groups: await loadSynonymGroups(core.pool) })),

  route(changeSynonyms, ({ core, actor, body }) => updateSynonymGroups(core, actor, body.groups)),
]
