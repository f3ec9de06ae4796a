import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../field.ts'
import { periodFromParameter, managerFilterParameters } from '../schema.ts'
import type { ManagerFilter } from '../scope.ts'

const loadFields = {
  received: field.integer('Recordings accepted.'),
  done: field.integer('Recordings transcribed.'),
  failed: field.integer('Recordings that failed for good.'),
  cancelled: field.integer('Recordings cancelled.'),
  audioSeconds: field.number('Audio of the recordings transcribed.'),
  meanWaitSeconds: field.numberOrNull(
    'The mean time from acceptance to the start of the successful attempt; null if no recording was transcribed.',
  ),
}

const LoadSchema = field.namedObject('Load', 'The totals.', loadFields)
export type CallLoad = Static<typeof LoadSchema>

const DaySchema = field.namedObject('DayLoad', 'One day, week or month.', {
  day: field.day('The day in APP_TIMEZONE; the first day in the range for a week or month.'),
  ...loadFields,
})
export type CallLoadEntry = Static<typeof DaySchema>

const loadExample = { received: 40, done: 38, failed: 1, cancelled: 1, audioSeconds: 6840.5, meanWaitSeconds: 4.2 }

/** Lists the intervals by which GET /v1/stats/overview can group calls. */
export const CALL_LOAD_INTERVALS = ['day', 'week', 'month'] as const
export type CallLoadInterval = (typeof CALL_LOAD_INTERVALS)[number]

/** The query of GET /v1/stats/overview. `by` selects whether calls count on the day of arrival or on the day of the call. */
export interface StatsOverviewQuery extends ManagerFilter {
  from?: string
  to?: string
  by: 'arrival' | 'call'
  interval: CallLoadInterval
}

export const statsOverviewOperation = {
  id: 'statsOverview',
  method: 'get',
  path: '/v1/stats/overview',
  tag: 'Statistics',
  summary: 'Load per day',
  description:
    'Includes every day of the range, also days without calls. A recording counts as received on the day it was accepted, ' +
    'and as done, failed or cancelled on the day that happened. With by=call, both count on the day of the call. Without ' +
    'a range: the last 30 days.',
  access: 'scoped',
  rights: ['analytics'],
  audit: 'stats.overview',
  query: field.object({
    ...periodFromParameter,
    to: Type.Optional(
      field.text(
        'The last day, inclusive, in the same format; default today. At most 366 days in all, of weeks and months 3660.',
      ),
    ),
    by: Type.Enum(['arrival', 'call'], {
      default: 'arrival',
      description: 'The day that counts: when the recording was accepted and when it ended, or when the call began.',
    }),
    interval: Type.Enum([...CALL_LOAD_INTERVALS], {
      default: 'day',
      description: 'The length of one entry. Weeks begin on Monday.',
    }),
    ...managerFilterParameters,
  }),
  responses: {
    200: {
      description: 'The days, oldest first, and their sum.',
      json: field.namedObject('Overview', 'Load per day.', {
        days: field.list(DaySchema, 'The days.'),
        totals: LoadSchema,
      }),
      example: { days: [{ day: '2026-03-01', ...loadExample }], totals: loadExample },
    },
  },
} as const satisfies Operation
