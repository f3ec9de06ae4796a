import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

/** An entry of a synonym group is a word or a phrase of at most this many words. */
export const MAX_SYNONYM_ENTRY_WORDS = 4

const SynonymGroupSchema = Type.Array(
  field.singleLine(
    64,
    `A word or a phrase of at most ${MAX_SYNONYM_ENTRY_WORDS} words, with a letter or a digit. An entry can be in one group only.`,
  ),
  { minItems: 2, maxItems: 10, description: 'Words and phrases that mean the same.' },
)

const SynonymsSchema = field.namedObject('SearchSynonyms', 'The synonyms of the company.', {
  groups: Type.Array(SynonymGroupSchema, { maxItems: 200, description: 'The groups, in the order of the panel.' }),
})
export type SearchSynonymsJson = Static<typeof SynonymsSchema>

const synonymsExample: SearchSynonymsJson = {
  groups: [
    ['договор', 'контракт'],
    ['price offer', 'quotation'],
  ],
}
const SYNONYMS_PATH = '/v1/search/synonyms'

export const readSynonymsOperation = {
  id: 'readSearchSynonyms',
  method: 'get',
  path: SYNONYMS_PATH,
  tag: 'Recordings',
  summary: 'The synonyms of the search',
  access: 'owner',
  responses: { 200: { description: 'The groups of synonyms.', json: SynonymsSchema, example: synonymsExample } },
} as const satisfies Operation

export const changeSynonymsOperation = {
  id: 'changeSearchSynonyms',
  method: 'put',
  path: SYNONYMS_PATH,
  tag: 'Recordings',
  summary: 'Replace the synonyms of the search',
  description:
    'A search for a word or phrase of a group also finds the others, in every form. Excerpts name the words that ' +
    'a match is a synonym of. Words inside quotation marks and excluded words have no synonyms. The change ' +
    'applies to the next search. Entries that differ only in case, spaces, or ё and е are duplicates and are ' +
    'rejected.',
  access: 'owner',
  body: SynonymsSchema,
  responses: {
    200: {
      description: 'The groups as they are stored, without spaces around entries.',
      json: SynonymsSchema,
      example: synonymsExample,
    },
  },
} as const satisfies Operation
