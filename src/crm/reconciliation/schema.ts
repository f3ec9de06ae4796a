import Type, { type Static } from 'typebox'
import type { Operation } from '../../http/operation.ts'
import { nullable } from '../../recordings/schema.ts'

const closed = { additionalProperties: false }
const count = (description: string) => Type.Integer({ description })

const counts = {
  inCrm: count('Calls that the portal knows: the sum of what follows.'),
  skipped: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Calls that are not loaded, by the reason: informational, unanswered, short, not-in-roster, before-automation, ' +
      'no-recording, too-large, or doubled (another row of the same call).',
  }),
  awaitingFile: count('Calls whose recording has not come yet.'),
  loading: count('Calls that are to be loaded.'),
  loadFailed: count('Calls that could not be loaded.'),
  received: count('Calls that came here: the sum of the next five.'),
  done: count('Transcribed.'),
  failed: count('Not transcribed, for good.'),
  cancelled: count('Cancelled here.'),
  inWork: count('Queued or running.'),
  deleted: count('Deleted here.'),
}

export const CountsSchema = Type.Object(counts, { ...closed, title: 'Reconciled', description: 'All of it together.' })
export type Counts = Static<typeof CountsSchema>

const DaySchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day of the calls in APP_TIMEZONE.' }),
    manager: nullable(Type.String(), 'Who called; null for calls of nobody.'),
    ...counts,
  },
  { ...closed, title: 'ReconciledDay', description: 'The calls of a manager on a day.' },
)
export type DayCounts = Static<typeof DaySchema>

export const countsExample: Counts = {
  inCrm: 12,
  skipped: { unanswered: 3, short: 1 },
  awaitingFile: 1,
  loading: 0,
  loadFailed: 0,
  received: 7,
  done: 6,
  failed: 0,
  cancelled: 0,
  inWork: 1,
  deleted: 0,
}
const day = (description: string) => Type.Optional(Type.String({ format: 'day-or-time', description }))

export const readReconciliation = {
  id: 'readCrmReconciliation',
  method: 'get',
  path: '/v1/crm/reconciliation',
  tag: 'CRM',
  summary: 'What became of each call of the CRM',
  description:
    'Every call that was read from the portal is counted in exactly one place. Without a range: the last 7 days.',
  access: 'scoped',
  rights: ['analytics'],
  closedToKeys: true,
  audit: 'crm.reconciliation',
  query: Type.Object(
    {
      from: day('The first day: 2026-03-01, or a time, which stands for its day in APP_TIMEZONE.'),
      to: day('The last day, inclusive, likewise; default today. At most 92 days in all.'),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'The calls by day and manager, the newest day first, and their sum.',
      json: Type.Object(
        { days: Type.Array(DaySchema, { description: 'Days and managers with calls.' }), totals: CountsSchema },
        { ...closed, title: 'Reconciliation', description: 'What became of the calls.' },
      ),
      example: { days: [{ day: '2026-03-01', manager: 'Anna Kovaleva', ...countsExample }], totals: countsExample },
    },
  },
} as const satisfies Operation
