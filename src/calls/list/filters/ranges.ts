import { Temporal } from 'temporal-polyfill'
import Type from 'typebox'
import { toConditions } from '../../../platform/lib/sql-conditions.ts'
import * as field from '../../../platform/http/field.ts'
import { createPeriod } from '../../../platform/lib/period.ts'
import { computeDaysOfPeriod, RELATIVE_PERIODS } from '../../../platform/lib/relative-period.ts'
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

export const periodFilter = defineRecordingFilter(
  field.oneOf(
    RELATIVE_PERIODS,
    'Only calls of these days in APP_TIMEZONE, relative to the time of the request. Weeks begin on Monday. thisWeek and ' +
      'thisMonth include the days to come, last7Days and last30Days include today. With dateFrom or dateTo, only calls that match both. For a call without a start time, its ' +
      'creation time counts.',
  ),
  {
    range(value, { timeZone }) {
      const { from, to } = computeDaysOfPeriod(value, Temporal.Now.plainDateISO(timeZone))
      const { since, until } = createPeriod(from, to, timeZone)
      return { name: 'call', from: since.getTime(), to: until.getTime() }
    },
  },
)
export const dateFromFilter = createTimeFilter(
  'call',
  'from',
  'Only calls that began at this time or later. For a call without a start time, its creation time counts.',
)
export const dateToFilter = createTimeFilter(
  'call',
  'to',
  'Only calls that began before this time. For a call without a start time, its creation time counts.',
)
export const createdFromFilter = createTimeFilter('creation', 'from', 'Only recordings created at this time or later.')
export const createdToFilter = createTimeFilter('creation', 'to', 'Only recordings created before this time.')

export const finishedFromFilter = defineRecordingFilter(
  field.dayOrLocalTime('Only recordings that became DONE, FAILED or CANCELLED at this time or later.'),
  { where: (value, context) => toConditions(['r.finished_at >= ?::timestamptz', parseFilterTime(value, context)]) },
)
export const finishedToFilter = defineRecordingFilter(
  field.dayOrLocalTime('Only recordings that became DONE, FAILED or CANCELLED before this time.'),
  {
    where(value, context) {
      const time = parseFilterTime(value, context)
      // Every call is created before it ends, so this bound also limits the creation time.
      return [
        ...toConditions(['r.finished_at < ?::timestamptz', time]),
        ...callDayConditionByCreationTime({ to: time.getTime() }),
      ]
    },
  },
)

export const minDurationSecondsFilter = createNumberFilter('duration', 'from', 1e9, 'The minimum length in seconds.')
export const maxDurationSecondsFilter = createNumberFilter('duration', 'to', 1e9, 'The maximum length in seconds.')
export const scoreBelowFilter = createNumberFilter(
  'score',
  'to',
  1000,
  'Only recordings with a lower score of the call check; recordings without a score do not match.',
)
export const scoreFromFilter = createNumberFilter(
  'score',
  'from',
  1000,
  'Only recordings with at least this score of the call check. 0 selects all recordings with a score.',
)
