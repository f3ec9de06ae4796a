import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { CALL_SKIP_REASONS } from '../calls/eligibility.ts'
import { CALL_STATE_CONDITIONS_SQL, type CrmCallState } from './call-states.ts'
import * as field from '../../platform/http/field.ts'

const SCOPED_OPERATION = {
  tag: 'CRM',
  access: 'scoped',
  rights: ['analytics'],
  closedToKeys: true,
  audit: 'crm.reconciliation',
} as const

const countFields = {
  inCrm: field.integer('Calls of the portal: the sum of the following counts.'),
  skipped: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Calls that are not loaded, by reason: informational, unanswered, short, not-in-roster, before-automation, ' +
      'no-recording, too-large, or doubled (another row of the same call).',
  }),
  awaitingFile: field.integer('Calls without a recording yet.'),
  loading: field.integer('Calls that wait to be loaded.'),
  loadFailed: field.integer('Calls that failed to load.'),
  received: field.integer('Stored calls: the sum of the next five counts.'),
  done: field.integer('Transcribed.'),
  failed: field.integer('Failed transcriptions.'),
  cancelled: field.integer('Cancelled calls.'),
  inWork: field.integer('Queued or running transcriptions.'),
  deleted: field.integer('Deleted calls.'),
}

export const ReconciliationCountsSchema = field.namedObject('Reconciled', 'The totals.', countFields)
export type ReconciliationCounts = Static<typeof ReconciliationCountsSchema>

const DaySchema = field.namedObject('ReconciledDay', 'The calls of a manager on a day.', {
  day: field.day('The day of the calls in APP_TIMEZONE.'),
  manager: field.textOrNull('The manager; null for calls without one.'),
  ...countFields,
})
export type ReconciliationDayCounts = Static<typeof DaySchema>

export const exampleReconciliationCounts: ReconciliationCounts = {
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
const defineDay = (description: string) => Type.Optional(field.dayOrTime(description))

const rangeFilters = {
  from: defineDay(
    'The first day: 2026-03-01, or a time of that day in APP_TIMEZONE. Without a range: the last 7 days.',
  ),
  to: defineDay('The last day, inclusive, in the same format; default today. At most 92 days in all.'),
  department: Type.Optional(field.id('The id of a department: calls of its managers.')),
}

const ControlSchema = field.namedObject('CrmControl', 'The portal’s own count of a day, and ours.', {
  day: field.day('The day in APP_TIMEZONE.'),
  portalCalls: field.integer('The portal’s count at that time.'),
  ownCalls: field.integer('Of these, calls known here now.'),
  checkedAt: field.time('When we asked the portal.'),
  alarm: field.nullable(
    Type.Enum(['fewer', 'more']),
    'fewer: the portal tells of much less than before, rights may have shrunk. more: it has calls of a day that was read ' +
      'whole and that are not known here. null: neither, or the day was never read whole.',
  ),
})
export type ReconciliationControlJson = Static<typeof ControlSchema>

const ReconciliationSchema = field.namedObject('Reconciliation', 'The outcome of the calls.', {
  days: field.list(DaySchema, 'Days and managers with calls.'),
  totals: ReconciliationCountsSchema,
  unreadDays: field.list(
    field.day('A day in APP_TIMEZONE.'),
    'Past days of the range that were not fully read from the portal, newest first. A history load reads them.',
  ),
  controls: field.list(
    ControlSchema,
    'The portal’s own counts of the days in the nightly control, newest first. Only for callers who see all calls, and ' +
      'not with a department.',
  ),
})
export type ReconciliationJson = Static<typeof ReconciliationSchema>

export const readCrmReconciliationOperation = {
  id: 'readCrmReconciliation',
  method: 'get',
  path: '/v1/crm/reconciliation',
  ...SCOPED_OPERATION,
  summary: 'The outcome of each call of the CRM',
  description: 'Counts every call of the portal exactly once. Without a range: the last 7 days.',
  query: field.object(rangeFilters),
  responses: {
    200: {
      description: 'The calls by day and manager, newest day first, and their sum.',
      json: ReconciliationSchema,
      example: {
        days: [{ day: '2026-03-01', manager: 'Anna Kovaleva', ...exampleReconciliationCounts }],
        totals: exampleReconciliationCounts,
        unreadDays: [],
        controls: [
          { day: '2026-03-01', portalCalls: 12, ownCalls: 12, checkedAt: '2026-03-02T00:00:04.000Z', alarm: null },
        ],
      },
    },
  },
} as const satisfies Operation

/** The states of a portal call. `received` and the states that it sums come first. */
export const CRM_CALL_STATES = Object.keys(CALL_STATE_CONDITIONS_SQL) as CrmCallState[]
const SKIP_REASON_FILTERS = [...CALL_SKIP_REASONS, 'doubled'] as const

const CallSchema = field.namedObject('CrmCall', 'A call of the CRM.', {
  id: field.text('Its number in the portal’s statistics.'),
  callId: field.text('The call’s id there, the externalCallId of its recording.'),
  startedAt: field.time('When it began.'),
  manager: field.textOrNull('The manager; null for a call without one.'),
  phoneNumber: field.textOrNull('The client’s number in the portal.'),
  durationSeconds: field.integer('Its duration.'),
  state: field.oneOf(
    CRM_CALL_STATES.filter((state) => state !== 'received'),
    'Its outcome: the state under which the reconciliation counts it.',
  ),
  reason: field.textOrNull('Why it was not loaded, for the state skipped.'),
  error: field.textOrNull('Why it could not be loaded, for the state loadFailed.'),
  recordingId: field.textOrNull('Its recording here; null if there is none.'),
})
export type CrmCallJson = Static<typeof CallSchema>

const callExample: CrmCallJson = {
  id: '7412',
  callId: 'externalCall.716f1cb73def9700a23842adf9c4c568.1773130779',
  startedAt: '2026-03-10T08:19:38.000Z',
  manager: 'Anna Kovaleva',
  phoneNumber: '+375291234567',
  durationSeconds: 9,
  state: 'skipped',
  reason: 'short',
  error: null,
  recordingId: null,
}

export const listReconciledCallsOperation = {
  id: 'listReconciledCalls',
  method: 'get',
  path: '/v1/crm/reconciliation/calls',
  ...SCOPED_OPERATION,
  summary: 'The calls behind a number of the reconciliation',
  description: 'The same filters give the same count. Newest call first.',
  query: field.object({
    ...rangeFilters,
    manager: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: '^[^\\u0000]*$',
        description:
          'A part of the manager’s name. In double quotes the whole name; two quotes alone for calls without a manager.',
      }),
    ),
    state: Type.Optional(field.oneOf(CRM_CALL_STATES, 'Only this outcome; received means any of the stored calls.')),
    reason: Type.Optional(field.oneOf(SKIP_REASON_FILTERS, 'Only calls that were not loaded for these reasons.')),
    ...pageParameters,
  }),
  responses: {
    200: createPageResponse(CallSchema, 'A page of the calls.', callExample),
  },
} as const satisfies Operation
