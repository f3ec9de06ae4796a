import Type from 'typebox'
import { where } from '../../../platform/lib/sql-conditions.ts'
import * as field from '../../../platform/http/field.ts'
import { creationCondition, type RangeName } from '../selection.ts'
import { filter, parseTime } from './filter.ts'

const createTimeFilter = (name: RangeName, bound: 'from' | 'to', description: string) =>
  filter(field.dayOrLocalTime(description), {
    range: (value, context) => ({ name, [bound]: parseTime(value, context).getTime() }),
  })

const createNumberFilter = (name: RangeName, bound: 'from' | 'to', maximum: number, description: string) =>
  filter(Type.Number({ minimum: 0, maximum, description }), {
    range: (value) => ({ name, [bound]: value, closed: name === 'duration' }),
  })

export const dateFrom = createTimeFilter(
  'call',
  'from',
  'Calls that began at this time or later; for a call without a time its acceptance counts.',
)
export const dateTo = createTimeFilter('call', 'to', 'Calls that began before this time.')
export const createdFrom = createTimeFilter('creation', 'from', 'Recordings accepted at this time or later.')
export const createdTo = createTimeFilter('creation', 'to', 'Recordings accepted before this time.')

export const finishedFrom = filter(
  field.dayOrLocalTime(
    'It ended, done, failed or cancelled, at this time or later; what has not ended does not match.',
  ),
  { where: (value, context) => where(['r.finished_at >= ?::timestamptz', parseTime(value, context)]) },
)
export const finishedTo = filter(field.dayOrLocalTime('It ended before this time, likewise.'), {
  where(value, context) {
    const time = parseTime(value, context)
    // Every call is created before it ends, so this bound also limits the creation time.
    return [...where(['r.finished_at < ?::timestamptz', time]), ...creationCondition({ to: time.getTime() })]
  },
})

export const minDurationSeconds = createNumberFilter('duration', 'from', 1e9, 'The minimum length.')
export const maxDurationSeconds = createNumberFilter('duration', 'to', 1e9, 'The maximum length.')
export const scoreBelow = createNumberFilter(
  'score',
  'to',
  1000,
  'The score of the call check is below this; recordings without a score do not match.',
)
export const scoreFrom = createNumberFilter(
  'score',
  'from',
  1000,
  'The score of the call check is at least this; 0: all recordings with a score.',
)
