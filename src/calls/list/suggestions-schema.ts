import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'
import { createSearchQuerySchema } from './filters/content.ts'

const SuggestionSchema = field.namedObject('Suggestion', 'A similar query that has matches.', {
  query: field.text('q with its unknown words replaced and everything else unchanged.'),
  word: field.text('The first unknown word of q.'),
  suggestion: field.text('The word that replaces it in query.'),
})
export type SearchSuggestionJson = Static<typeof SuggestionSchema>

export const readSearchSuggestionsOperation = {
  id: 'readSuggestions',
  method: 'get',
  path: '/v1/search/suggestions',
  tag: 'Recordings',
  summary: 'Similar queries with matches, for words of a query without matches',
  description:
    'Replaces each word without matches by a similar word from the newest 1,000 calls within your access. Similar ' +
    'means within one edit, or two if the word has five letters or more. Words in quotation marks, excluded ' +
    'words, numbers and words of one or two letters stay as they are. A query with more than five unknown words ' +
    'gets no suggestions.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'search.suggestions',
  query: field.object({ q: createSearchQuerySchema('The search query, as in the lists of recordings.') }),
  responses: {
    200: {
      description: 'The suggestions, the best first; none if every word is known.',
      json: field.object({
        items: Type.Array(SuggestionSchema, { maxItems: 3, description: 'At most three suggestions.' }),
      }),
      example: { items: [{ query: 'delivery tomorrow', word: 'delivry', suggestion: 'delivery' }] },
    },
  },
} as const satisfies Operation
