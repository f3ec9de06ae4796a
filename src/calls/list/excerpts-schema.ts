import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { recordingExample } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'
import { createRecordingIdListSchema } from './filters/columns.ts'
import { createSearchQuerySchema } from './filters/content.ts'

const ExcerptSchema = field.namedObject('Excerpt', 'An excerpt of a transcript.', {
  id: field.id('The recording.'),
  text: field.text(
    'About 160 characters around the first match or, without a match, from the beginning; … replaces omitted ' +
      'text. With full=true, the whole text.',
  ),
  matches: field.list(
    Type.Unsafe<[start: number, end: number]>(
      Type.Array(Type.Integer(), {
        minItems: 2,
        maxItems: 2,
        description: 'The start and the exclusive end of a match in text, in UTF-16 units.',
      }),
    ),
    'The matches of q in text, in order. An exact phrase is one match.',
  ),
  synonymOf: field.list(
    Type.Union([Type.String(), Type.Null()]),
    'For each match, the words of q that it is a synonym of; null if the text contains the words of q themselves.',
  ),
  more: field.integer('The number of matches in the whole transcript, including those in text.'),
})
export type TranscriptExcerptJson = Static<typeof ExcerptSchema>

export const readTranscriptExcerptsOperation = {
  id: 'readExcerpts',
  method: 'get',
  path: '/v1/recordings/excerpts',
  tag: 'Recordings',
  summary: 'Excerpts of transcripts around the matches of a search, or from the beginning',
  description:
    'Words match as in the search: in any form, in Russian and English, е for ё, exact phrases as a whole. ' +
    'Excluded words of q are not marked. Recordings without a transcript or outside your access are omitted.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'transcripts.excerpts',
  query: field.object({
    ids: createRecordingIdListSchema('The recordings, comma separated, at most 100.'),
    q: Type.Optional(
      createSearchQuerySchema(
        'The search query, as in the lists of recordings. Without it, each excerpt starts at the beginning of the ' +
          'transcript.',
      ),
    ),
    full: Type.Boolean({
      default: false,
      description: 'true: the whole text with all its matches. Allowed for one recording only.',
    }),
  }),
  responses: {
    200: {
      description: 'The excerpts, in the order of ids.',
      json: field.object({ items: field.list(ExcerptSchema, 'The excerpts.') }),
      example: {
        items: [
          {
            id: recordingExample.id,
            text: '…my delivery, it was supposed to arrive on…',
            matches: [[4, 12]],
            synonymOf: [null],
            more: 3,
          },
        ],
      },
    },
  },
} as const satisfies Operation
