import Type, { type Static } from 'typebox'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { recordingExample } from '../recordings/schema.ts'
import { recordingFilterSchemas } from './filters.ts'

/** The maximum number of calls that a bulk action of the panel changes. */
export const MAX_SELECTED_RECORDING_IDS = 10_000

const RecordingIdsSchema = field.object('The recordings that match.', {
  ids: field.list(
    field.id('A recording.'),
    `The ids of the newest calls first, at most ${MAX_SELECTED_RECORDING_IDS}.`,
  ),
})
export type RecordingIdsJson = Static<typeof RecordingIdsSchema>

export const listRecordingIdsOperation = {
  id: 'listRecordingIds',
  method: 'get',
  path: '/v1/recordings/ids',
  tag: 'Recordings',
  summary: 'The ids of all recordings of a list',
  description: 'For actions on a whole list. The ids stay the same while the action processes them.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recordings.list',
  query: field.object({
    ...recordingFilterSchemas,
    createdUntil: Type.Optional(
      field.time('Only recordings created at this time or earlier, for a list that was loaded at that time.'),
    ),
  }),
  responses: {
    200: { description: 'The ids.', json: RecordingIdsSchema, example: { ids: [recordingExample.id] } },
  },
} as const satisfies Operation
