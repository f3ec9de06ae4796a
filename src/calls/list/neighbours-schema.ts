import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { searchOrderParameter } from '../../platform/http/paging.ts'
import { recordingFilters } from './filters.ts'
import { closed, nullable, recordingExample } from '../recordings/schema.ts'

const neighbour = (description: string) => nullable(Type.String({ format: 'uuid' }), description)

const NeighboursSchema = Type.Object(
  {
    position: nullable(Type.Integer(), 'Its place in the list, from 1; null if the list does not hold it.'),
    total: Type.Integer({ description: 'All recordings of the list.' }),
    previous: neighbour('The recording before it in the list.'),
    next: neighbour('The recording after it in the list.'),
  },
  { ...closed, title: 'Neighbours', description: 'Where a recording stands in a list.' },
)
export type NeighboursJson = Static<typeof NeighboursSchema>

export const neighbours = {
  id: 'readNeighbours',
  method: 'get',
  path: '/v1/recordings/{id}/neighbours',
  tag: 'Recordings',
  summary: 'Where a recording stands in a list, and what stands before and after it',
  description:
    'The list is the one that /v1/recordings answers to the same filters and order. By time of the call also a recording ' +
    'that the list does not hold any more has neighbours.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recordings.list',
  auditObject: 'recording',
  query: Type.Object({ ...recordingFilters, ...searchOrderParameter }, closed),
  responses: {
    200: {
      description: 'Its place.',
      json: NeighboursSchema,
      example: { position: 3, total: 24, previous: null, next: recordingExample.id },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation
