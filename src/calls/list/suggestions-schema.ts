import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { closed } from '../recordings/schema.ts'

/** The maximum length of a query in lists. */
export const MAX_QUERY = 500

const SuggestionSchema = Type.Object(
  {
    query: Type.String({ description: 'q with its unknown words replaced, otherwise unchanged.' }),
    word: Type.String({ description: 'The first unknown word of q.' }),
    suggestion: Type.String({ description: 'Its replacement in query.' }),
  },
  { ...closed, title: 'Suggestion', description: 'A similar query that has matches.' },
)
export type SuggestionJson = Static<typeof SuggestionSchema>

export const suggestions = {
  id: 'readSuggestions',
  method: 'get',
  path: '/v1/search/suggestions',
  tag: 'Recordings',
  summary: 'Similar queries with matches, for words of a query without matches',
  description:
    'Replaces each word that no call within your access matches by a similar word of these calls. Similar means within ' +
    'one edit, or two if the word has five letters or more. Words in quotation marks, excluded words, numbers and words ' +
    'of one or two letters stay as they are. Words come from the newest 1,000 calls within your access.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'search.suggestions',
  query: Type.Object(
    {
      q: Type.String({ minLength: 1, maxLength: MAX_QUERY, description: 'The query, as in the lists.' }),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'The suggestions, best first; empty if every word is known.',
      json: Type.Object(
        { items: Type.Array(SuggestionSchema, { maxItems: 3, description: 'At most three suggestions.' }) },
        closed,
      ),
      example: {
        items: [{ query: 'delivery tomorrow', word: 'delivry', suggestion: 'delivery' }],
      },
    },
  },
} as const satisfies Operation
