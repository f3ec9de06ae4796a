import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { nullable } from '../../calls/recordings/schema.ts'

import { closed, count, time } from '../schema-parts.ts'

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

/** What both the counts and their calls are asked for. */
export const narrowing = {
  from: day(
    'The first day: 2026-03-01, or a time, which stands for its day in APP_TIMEZONE. Without a range: the last 7 days.',
  ),
  to: day('The last day, inclusive, likewise; default today. At most 92 days in all.'),
  department: Type.Optional(
    Type.String({ format: 'uuid', description: 'The id of a department: calls of its managers.' }),
  ),
}

const ControlSchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day in APP_TIMEZONE.' }),
    portalCalls: count('So many calls the portal counted when it was asked.'),
    ownCalls: count('So many of them are known here now.'),
    checkedAt: time('When the portal was asked.'),
    alarm: nullable(
      Type.Enum(['fewer', 'more']),
      'fewer: the portal tells of much less than before, rights may have shrunk. more: it has calls of a day that was read ' +
        'whole and that are not known here. null: neither, or the day was never read whole.',
    ),
  },
  { ...closed, title: 'CrmControl', description: 'The portal’s own count of a day beside ours.' },
)
export type ControlJson = Static<typeof ControlSchema>

const ReconciliationSchema = Type.Object(
  {
    days: Type.Array(DaySchema, { description: 'Days and managers with calls.' }),
    totals: CountsSchema,
    unreadDays: Type.Array(Type.String({ format: 'date', description: 'A day in APP_TIMEZONE.' }), {
      description:
        'Past days of the range that were not fully read from the portal, newest first. ' +
        'A history load reads them.',
    }),
    controls: Type.Array(ControlSchema, {
      description:
        'The portal’s own counts of the days that the nightly control has, the newest first; only for those who see ' +
        'all calls, and of no single department.',
    }),
  },
  { ...closed, title: 'Reconciliation', description: 'What became of the calls.' },
)
export type ReconciliationJson = Static<typeof ReconciliationSchema>

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
  query: Type.Object(narrowing, closed),
  responses: {
    200: {
      description: 'The calls by day and manager, the newest day first, and their sum.',
      json: ReconciliationSchema,
      example: {
        days: [{ day: '2026-03-01', manager: 'Anna Kovaleva', ...countsExample }],
        totals: countsExample,
        unreadDays: [],
        controls: [
          { day: '2026-03-01', portalCalls: 12, ownCalls: 12, checkedAt: '2026-03-02T00:00:04.000Z', alarm: null },
        ],
      },
    },
  },
} as const satisfies Operation
