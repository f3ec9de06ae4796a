import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { searchOrderParameter } from '../../platform/http/paging.ts'
import { recordingFilterSchemas } from './filters.ts'
import { recordingSortParameter } from './sorting.ts'
import { recordingExample } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'

const NeighboursSchema = field.namedObject('Neighbours', 'The position of a recording in a list.', {
  position: field.integerOrNull('The position from 1; null if the recording is not in the list.'),
  total: field.integer('The number of recordings in the list.'),
  previous: field.idOrNull('The previous recording of the list; null if there is none.'),
  next: field.idOrNull('The next recording of the list; null if there is none.'),
})
export type RecordingNeighboursJson = Static<typeof NeighboursSchema>

export const readRecordingNeighboursOperation = {
  id: 'readNeighbours',
  method: 'get',
  path: '/v1/recordings/{id}/neighbours',
  tag: 'Recordings',
  summary: 'The position of a recording in a list, and its neighbours',
  description:
    'Uses the list of GET /v1/recordings with the same filters and order. A recording that is not in the list ' +
    'still has neighbours, unless the list is in the order of search results.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recordings.list',
  auditObject: 'recording',
  query: field.object({ ...recordingFilterSchemas, ...searchOrderParameter, ...recordingSortParameter }),
  responses: {
    200: {
      description: 'The position and the neighbours.',
      json: NeighboursSchema,
      example: { position: 3, total: 24, previous: null, next: recordingExample.id },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation
