import Type from 'typebox'
import { toConditions } from '../../../platform/lib/sql-conditions.ts'
import { CALL_DIRECTIONS, CALL_SOURCES, RECORDING_STATUSES } from '../../recordings/entity.ts'
import { extractDigits } from '../selection.ts'
import * as field from '../../../platform/http/field.ts'
import { defineRecordingFilter } from './filter.ts'

const MAX_LISTED_IDS = 100

/** Creates the schema of a list of 1 to 100 recording ids. */
export const createRecordingIdListSchema = (description: string) =>
  Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: MAX_LISTED_IDS, description })

export const idsFilter = defineRecordingFilter(
  createRecordingIdListSchema('Only these calls, comma separated, at most 100.'),
  {
    where: (value) => toConditions(['r.id = ANY(?::uuid[])', value]),
  },
)

export const statusFilter = defineRecordingFilter(
  field.list(
    Type.Enum([...RECORDING_STATUSES]),
    'Only recordings with these statuses: one or several, comma separated.',
  ),
  {
    counters: 'flags',
    where: (value) => toConditions(['r.status = ANY(?)', value]),
  },
)

export const sourceFilter = defineRecordingFilter(
  field.list(Type.Enum([...CALL_SOURCES]), 'Only calls from these sources: one or several, comma separated.'),
  { counters: 'flags', where: (value) => toConditions(['r.source = ANY(?)', value]) },
)

export const directionFilter = defineRecordingFilter(field.oneOf(CALL_DIRECTIONS, 'Only calls in this direction.'), {
  counters: 'flags',
  where: (value) => toConditions(['r.direction = ?', value]),
})

export const phoneFilter = defineRecordingFilter(
  Type.String({
    minLength: 1,
    maxLength: 64,
    format: 'digits',
    description: 'Only calls whose phone number contains these digits. Other characters are ignored.',
  }),
  { where: (value) => toConditions(['r.phone_digits LIKE ?', `%${extractDigits(value)}%`]) },
)

export const externalCallIdFilter = defineRecordingFilter(
  field.singleLine(255, 'Only the call with exactly this id in the caller’s system.'),
  {
    where: (value) => toConditions(['r.external_call_id = ?', value]),
  },
)
