import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { closed, recordingExample } from '../recordings/schema.ts'
import { idList } from './filters/columns.ts'

const ExcerptSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The recording.' }),
    text: Type.String({
      description:
        'About 160 characters around the first match, or from the beginning, with … for omitted text; with full=true the ' +
        'whole text.',
    }),
    matches: Type.Array(
      Type.Unsafe<[start: number, end: number]>(
        Type.Array(Type.Integer(), {
          minItems: 2,
          maxItems: 2,
          description: 'The start and the exclusive end, in UTF-16 units.',
        }),
      ),
      { description: 'The positions in text of the words of q, an exact phrase as one; in order.' },
    ),
    synonymOf: Type.Array(Type.Union([Type.String(), Type.Null()]), {
      description:
        'For each match the words of q that it is a synonym of; null if the text contains the words themselves.',
    }),
    more: Type.Integer({ description: 'The number of matches in the whole transcript, including those in text.' }),
  },
  { ...closed, title: 'Excerpt', description: 'An excerpt of a transcript.' },
)
export type ExcerptJson = Static<typeof ExcerptSchema>

export const excerpts = {
  id: 'readExcerpts',
  method: 'get',
  path: '/v1/recordings/excerpts',
  tag: 'Recordings',
  summary: 'Excerpts of transcripts for a list: the words around the matches, or the beginnings of calls',
  description:
    'Words match as in the search: in any form, Russian and English, е for ё, exact phrases as a whole. Excluded words of ' +
    'q are not marked. Recordings without a transcript, or outside your access, are left out.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'transcripts.excerpts',
  query: Type.Object(
    {
      ids: idList('The recordings, comma separated, at most 100.'),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'The search, as in the lists; without it the beginning of each transcript.',
        }),
      ),
      full: Type.Boolean({
        default: false,
        description: 'The whole text with all its matches; for one recording only.',
      }),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'The excerpts, in the order of ids.',
      json: Type.Object({ items: Type.Array(ExcerptSchema, { description: 'The excerpts.' }) }, closed),
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
