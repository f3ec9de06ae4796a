import { route, type Route } from '../../platform/http/route.ts'
import { listRecordingsOperation } from '../recordings/operations.ts'
import { loadRecordingCatalog } from './catalog.ts'
import { readTranscriptExcerptsOperation } from './excerpts-schema.ts'
import { loadTranscriptExcerpts } from './excerpts.ts'
import { loadRecordingFacets } from './facets.ts'
import { listVisibleRecordings } from './listing.ts'
import { readRecordingNeighboursOperation } from './neighbours-schema.ts'
import { loadRecordingNeighbours } from './neighbours.ts'
import { readRecordingCatalogOperation, readRecordingFacetsOperation } from './overview-schema.ts'
import { readSearchSuggestionsOperation } from './suggestions-schema.ts'
import { suggestSearchQueries } from './suggestions.ts'
import { changeSynonymsOperation, readSynonymsOperation } from './synonyms-schema.ts'
import { loadSynonymGroups, updateSynonymGroups } from './synonyms.ts'

export const recordingListRoutes: Route[] = [
  route(listRecordingsOperation, ({ core, actor, query }) => listVisibleRecordings(core, actor, query)),

  route(readRecordingCatalogOperation, ({ core, actor, query }) => loadRecordingCatalog(core, actor, query)),

  route(readRecordingFacetsOperation, ({ core, actor, query }) => loadRecordingFacets(core, actor, query)),

  route(readTranscriptExcerptsOperation, async ({ core, actor, query }) => ({
    items: await loadTranscriptExcerpts(core, actor, query),
  })),

  route(readSearchSuggestionsOperation, async ({ core, actor, query }) => ({
    items: await suggestSearchQueries(core, actor, query.q),
  })),

  route(readRecordingNeighboursOperation, ({ core, actor, id, query }) =>
    loadRecordingNeighbours(core, actor, id, query),
  ),

  route(readSynonymsOperation, async ({ core }) => ({ groups: await loadSynonymGroups(core.pool) })),

  route(changeSynonymsOperation, ({ core, actor, body }) => updateSynonymGroups(core, actor, body.groups)),
]
