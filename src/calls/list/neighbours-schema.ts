import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { searchOrderParameter } from '../../platform/http/paging.ts'
import { recordingFilters } from './filters.ts'
import { closed, nullable, recordingExample } from '../recordings/schema.ts'

const neighbour = (description: string) => nullable(Type.String({ format: 'uuid' }), description)

const NeighboursSchema = Type.Object(
  {
    position: nullable(Type.Integer(), 'Its place in the list, from 1; null if it is not in the list.'),
    total: Type.Integer({ description: 'The number of all recordings in the list.' }),
    previous: neighbour('The previous recording in the list.'),
    next: neighbour('The next recording in the list.'),
  },
  { ...closed, title: 'Neighbours', description: 'The position of a recording in a list.' },
)
export type NeighboursJson = Static<typeof NeighboursSchema>

export const neighbours = {
  id: 'readNeighbours',
  method: 'get',
  path: '/v1/recordings/{id}/neighbours',
  tag: 'Recordings',
  summary: 'The position of a recording in a list, and its neighbours',
  description:
    'The list is the one of /v1/recordings with the same filters and order. In the order by time of the call, a recording ' +
    'that left the list still has neighbours.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recordings.list',
  auditObject: 'recording',
  query: Type.Object({ ...recordingFilters, ...searchOrderParameter }, closed),
  responses: {
    200: {
      description: 'Its position.',
      json: NeighboursSchema,
      example: { position: 3, total: 24, previous: null, next: recordingExample.id },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation
