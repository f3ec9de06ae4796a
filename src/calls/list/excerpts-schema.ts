import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { recordingExample } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'
import { createRecordingIdListSchema } from './filters/columns.ts'
import { createSearchQuerySchema } from './filters/content.ts'

const ExcerptSchema = field.namedObject('Excerpt', 'A part of what was said.', {
  id: field.id('The recording.'),
  text: field.text(
    'About 160 characters around the first match, or from the beginning, with … where something is left out; ' +
      'with full=true the whole text.',
  ),
  matches: field.list(
    Type.Unsafe<[start: number, end: number]>(
      Type.Array(Type.Integer(), {
        minItems: 2,
        maxItems: 2,
        description: 'From the first to behind the last character, in UTF-16 units.',
      }),
    ),
    'The places in text that q matches, in their order; an exact phrase is one match.',
  ),
  synonymOf: field.list(
    Type.Union([Type.String(), Type.Null()]),
    'For each match, the words of q that it is a synonym of; null if the text has these words themselves.',
  ),
  more: field.integer('How many matches the whole transcript has, those in text among them.'),
})
export type TranscriptExcerptJson = Static<typeof ExcerptSchema>

export const readTranscriptExcerptsOperation = {
  id: 'readExcerpts',
  method: 'get',
  path: '/v1/recordings/excerpts',
  tag: 'Recordings',
  summary: 'Excerpts of transcripts for a list: the words around the matches, or the beginning of the calls',
  description:
    'Words match as in the search: in any form, Russian and English, е for ё, exact phrases as a whole. Excluded words of ' +
    'q are not marked. Recordings without a transcript, or outside your access, are left out.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'transcripts.excerpts',
  query: field.object({
    ids: createRecordingIdListSchema('The recordings, comma separated, at most 100.'),
    q: Type.Optional(
      createSearchQuerySchema('The question, as the lists take it; without it the beginning of each transcript.'),
    ),
    full: Type.Boolean({ default: false, description: 'The whole text with all its matches; of one recording only.' }),
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
