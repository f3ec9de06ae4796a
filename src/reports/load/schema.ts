import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../field.ts'
import { periodFromParameter, managerFilterParameters } from '../schema.ts'
import type { ManagerFilter } from '../scope.ts'

const loadFields = {
  received: field.integer('Recordings that were created.'),
  done: field.integer('Recordings that became DONE.'),
  failed: field.integer('Recordings that became FAILED.'),
  cancelled: field.integer('Recordings that became CANCELLED.'),
  audioSeconds: field.number('The length of the audio of recordings that became DONE, in seconds.'),
  meanWaitSeconds: field.numberOrNull(
    'The mean number of seconds from creation to the start of the successful attempt; null if no recording became ' +
      'DONE.',
  ),
}

const LoadSchema = field.namedObject('Load', 'The totals.', loadFields)
export type CallLoad = Static<typeof LoadSchema>

const DaySchema = field.namedObject('DayLoad', 'The load of a day, week or month.', {
  day: field.day('The day in APP_TIMEZONE. For a week or month, its first day in the range.'),
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
  summary: 'Load by day, week or month',
  description:
    'Includes all days of the range, also days without calls. A recording counts as received on the day it was ' +
    'created, and as done, failed or cancelled on the day it ended. With by=call, both count on the day of the ' +
    'call. Without a range: the last 30 days.',
  access: 'scoped',
  rights: ['analytics'],
  audit: 'stats.overview',
  query: field.object({
    ...periodFromParameter,
    to: Type.Optional(
      field.text(
        'The last day, inclusive, in the same format; default today. At most 366 days in all; for weeks and months, ' +
          'at most 3660.',
      ),
    ),
    by: Type.Enum(['arrival', 'call'], {
      default: 'arrival',
      description:
        'The day on which a recording counts. arrival: when it was created, and when it ended. call: when the call ' +
        'began.',
    }),
    interval: Type.Enum([...CALL_LOAD_INTERVALS], {
      default: 'day',
      description: 'The length of one entry. Weeks begin on Monday.',
    }),
    ...managerFilterParameters,
  }),
  responses: {
    200: {
      description: 'The load by day, week or month, and in total.',
      json: field.namedObject('Overview', 'The load by day, week or month.', {
        days: field.list(DaySchema, 'The days, weeks or months, oldest first.'),
        totals: LoadSchema,
      }),
      example: { days: [{ day: '2026-03-01', ...loadExample }], totals: loadExample },
    },
  },
} as const satisfies Operation
