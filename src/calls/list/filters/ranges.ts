import Type from 'typebox'
import { toConditions } from '../../../platform/lib/sql-conditions.ts'
import * as field from '../../../platform/http/field.ts'
import { callDayConditionByCreationTime, type RecordingRangeName } from '../selection.ts'
import { defineRecordingFilter, parseFilterTime } from './filter.ts'

const createTimeFilter = (name: RecordingRangeName, bound: 'from' | 'to', description: string) =>
  defineRecordingFilter(field.dayOrLocalTime(description), {
    range: (value, context) => ({ name, [bound]: parseFilterTime(value, context).getTime() }),
  })

const createNumberFilter = (name: RecordingRangeName, bound: 'from' | 'to', maximum: number, description: string) =>
  defineRecordingFilter(Type.Number({ minimum: 0, maximum, description }), {
    range: (value) => ({ name, [bound]: value, closed: name === 'duration' }),
  })

export const dateFromFilter = createTimeFilter(
  'call',
  'from',
  'Calls that began at this time or later; for a call without a time its acceptance counts.',
)
export const dateToFilter = createTimeFilter('call', 'to', 'Calls that began before this time.')
export const createdFromFilter = createTimeFilter('creation', 'from', 'Recordings accepted at this time or later.')
export const createdToFilter = createTimeFilter('creation', 'to', 'Recordings accepted before this time.')

export const finishedFromFilter = defineRecordingFilter(
  field.dayOrLocalTime(
    'It ended, done, failed or cancelled, at this time or later; what has not ended does not match.',
  ),
  { where: (value, context) => toConditions(['r.finished_at >= ?::timestamptz', parseFilterTime(value, context)]) },
)
export const finishedToFilter = defineRecordingFilter(field.dayOrLocalTime('It ended before this time, likewise.'), {
  where(value, context) {
    const time = parseFilterTime(value, context)
    // Every call is created before it ends, so this bound also limits the creation time.
    return [
      ...toConditions(['r.finished_at < ?::timestamptz', time]),
      ...callDayConditionByCreationTime({ to: time.getTime() }),
    ]
  },
})

export const minDurationSecondsFilter = createNumberFilter('duration', 'from', 1e9, 'The minimum length.')
export const maxDurationSecondsFilter = createNumberFilter('duration', 'to', 1e9, 'The maximum length.')
export const scoreBelowFilter = createNumberFilter(
  'score',
  'to',
  1000,
  'The score of the call check is below this; recordings without a score do not match.',
)
export const scoreFromFilter = createNumberFilter(
  'score',
  'from',
  1000,
  'The score of the call check is at least this; 0: all recordings with a score.',
)
