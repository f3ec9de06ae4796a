import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { searchOrderParameter } from '../../platform/http/paging.ts'
import { recordingFilterSchemas } from './filters.ts'
import { recordingSortParameter } from './sorting.ts'
import { recordingExample } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'

const NeighboursSchema = field.namedObject('Neighbours', 'Where a recording stands in a list.', {
  position: field.integerOrNull('Its place in the list, from 1; null if it is not in the list.'),
  total: field.integer('All recordings of the list.'),
  previous: field.idOrNull('The recording before it in the list.'),
  next: field.idOrNull('The recording after it in the list.'),
})
export type RecordingNeighboursJson = Static<typeof NeighboursSchema>

export const readRecordingNeighboursOperation = {
  id: 'readNeighbours',
  method: 'get',
  path: '/v1/recordings/{id}/neighbours',
  tag: 'Recordings',
  summary: 'The position of a recording in a list, and its neighbours',
  description:
    'The list is the one of /v1/recordings with the same filters and order. Unless ordered by a search, a recording ' +
    'that left the list still has neighbours.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recordings.list',
  auditObject: 'recording',
  query: field.object({ ...recordingFilterSchemas, ...searchOrderParameter, ...recordingSortParameter }),
  responses: {
    200: {
      description: 'Its position.',
      json: NeighboursSchema,
      example: { position: 3, total: 24, previous: null, next: recordingExample.id },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation
