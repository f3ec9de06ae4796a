import Type, { type Static } from 'typebox'
import type { Operation } from '../http/operation.ts'

const closed = { additionalProperties: false }

const load = {
  received: Type.Integer({ description: 'Recordings accepted.' }),
  done: Type.Integer({ description: 'Recordings transcribed.' }),
  failed: Type.Integer({ description: 'Recordings that failed for good.' }),
  cancelled: Type.Integer({ description: 'Recordings cancelled.' }),
  audioSeconds: Type.Number({ description: 'Audio of the recordings transcribed.' }),
  meanWaitSeconds: Type.Union([Type.Number(), Type.Null()], {
    description:
      'From being accepted to the start of the attempt that succeeded, on average over the recordings transcribed; null where there was none.',
  }),
}

export const LoadSchema = Type.Object(load, { ...closed, title: 'Load', description: 'All days together.' })
export type Load = Static<typeof LoadSchema>

const DaySchema = Type.Object(
  { day: Type.String({ format: 'date', description: 'The day in APP_TIMEZONE.' }), ...load },
  { ...closed, title: 'DayLoad', description: 'One day.' },
)
export type DayLoad = Static<typeof DaySchema>

const loadExample = { received: 40, done: 38, failed: 1, cancelled: 1, audioSeconds: 6840.5, meanWaitSeconds: 4.2 }

export const overview = {
  id: 'statsOverview',
  method: 'get',
  path: '/v1/stats/overview',
  tag: 'Statistics',
  summary: 'Load per day',
  description:
    'Every day of the range is there, also one without calls. A recording is received on the day it was accepted, and ' +
    'done, failed or cancelled on the day that happened. Without a range: the last 30 days.',
  access: 'scoped',
  rights: ['analytics'],
  audit: 'stats.overview',
  query: Type.Object(
    {
      from: Type.Optional(
        Type.String({ description: 'The first day: 2026-03-01, or a time, which stands for its day in APP_TIMEZONE.' }),
      ),
      to: Type.Optional(
        Type.String({ description: 'The last day, inclusive, likewise; default today. At most 366 days in all.' }),
      ),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'The days, oldest first, and their sum.',
      json: Type.Object(
        {
          days: Type.Array(DaySchema, { description: 'The days.' }),
          totals: LoadSchema,
        },
        { ...closed, title: 'Overview', description: 'Load per day.' },
      ),
      example: { days: [{ day: '2026-03-01', ...loadExample }], totals: loadExample },
    },
  },
} as const satisfies Operation
