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
  inCrm: field.integer('Calls of the portal: the sum of skipped, awaitingFile, loading, loadFailed and received.'),
  skipped: field.map(
    Type.Integer(),
    'Calls that are not loaded, by reason: informational, unanswered, short, not-in-roster, before-automation, ' +
      'no-recording, too-large, or doubled (another row of the same call).',
  ),
  awaitingFile: field.integer('Calls whose recording is not in the portal yet.'),
  loading: field.integer('Calls that wait to be loaded.'),
  loadFailed: field.integer('Calls that failed to load.'),
  received: field.integer('Stored calls: the sum of done, failed, cancelled, inWork and deleted.'),
  done: field.integer('Transcribed calls.'),
  failed: field.integer('Calls whose transcription failed.'),
  cancelled: field.integer('Calls whose transcription was cancelled.'),
  inWork: field.integer('Calls whose transcription is queued or running.'),
  deleted: field.integer('Calls whose recording was deleted here.'),
}

export const ReconciliationCountsSchema = field.namedObject('Reconciled', 'The totals by outcome.', countFields)
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
    'The first day: 2026-03-01, or a time of that day in APP_TIMEZONE. Without a range, the last 7 days.',
  ),
  to: defineDay('The last day, inclusive, in the same format; default today. The range can have at most 92 days.'),
  department: Type.Optional(field.id('Only calls of managers in the department with this id.')),
}

const ControlSchema = field.namedObject(
  'CrmControl',
  'The portal’s own count of the calls of a day, compared with ours.',
  {
    day: field.day('The day in APP_TIMEZONE.'),
    portalCalls: field.integer('The portal’s count at the time of the control.'),
    ownCalls: field.integer('Calls of the day that are stored here now.'),
    checkedAt: field.time('When the portal was queried.'),
    alarm: field.nullable(
      Type.Enum(['fewer', 'more']),
      'fewer: the portal reports far fewer calls than before; the webhook may have lost permissions. more: the ' +
        'portal has calls that are not stored here, although the day was read completely. null: neither, or the day ' +
        'was not read completely.',
    ),
  },
)
export type ReconciliationControlJson = Static<typeof ControlSchema>

const ReconciliationSchema = field.namedObject('Reconciliation', 'The outcomes of the calls of the portal.', {
  days: field.list(DaySchema, 'The counts by day and manager, for days with calls.'),
  totals: ReconciliationCountsSchema,
  unreadDays: field.list(
    field.day('A day in APP_TIMEZONE.'),
    'Past days of the range that were not completely read from the portal, newest first. A history load reads ' +
      'them.',
  ),
  controls: field.list(
    ControlSchema,
    'The portal’s own counts by the nightly control, newest day first. Only for callers who see all calls, and ' +
      'empty with `department`.',
  ),
})
export type ReconciliationJson = Static<typeof ReconciliationSchema>

export const readCrmReconciliationOperation = {
  id: 'readCrmReconciliation',
  method: 'get',
  path: '/v1/crm/reconciliation',
  ...SCOPED_OPERATION,
  summary: 'The outcome of each call of the CRM',
  description: 'Counts every call of the portal exactly once.',
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
  id: field.text('The number of the call in the portal’s statistics.'),
  callId: field.text('The call’s id in the portal; the externalCallId of its recording.'),
  startedAt: field.time('When the call began.'),
  manager: field.textOrNull('The manager; null for a call without one.'),
  phoneNumber: field.textOrNull('The client’s number in the portal; null if unknown.'),
  durationSeconds: field.integer('The duration in seconds.'),
  state: field.oneOf(
    CRM_CALL_STATES.filter((state) => state !== 'received'),
    'The outcome, as counted by the reconciliation.',
  ),
  reason: field.textOrNull('Why the call was not loaded, for the state skipped; else null.'),
  error: field.textOrNull('Why the call could not be loaded, for the state loadFailed; else null.'),
  recordingId: field.textOrNull('The recording of the call; null if there is none.'),
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
  summary: 'The calls behind a count of the reconciliation',
  description: 'With the same filters, `total` equals the count. Newest call first.',
  query: field.object({
    ...rangeFilters,
    manager: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: field.NO_NUL_PATTERN,
        description:
          'A part of the manager’s name. A name in double quotes must match as a whole. Two double quotes alone match ' +
          'calls without a manager.',
      }),
    ),
    state: Type.Optional(
      field.oneOf(CRM_CALL_STATES, 'Only calls with this outcome; received means all stored calls.'),
    ),
    reason: Type.Optional(field.oneOf(SKIP_REASON_FILTERS, 'Only calls that were not loaded for this reason.')),
    ...pageParameters,
  }),
  responses: {
    200: createPageResponse(CallSchema, 'A page of the calls.', callExample),
  },
} as const satisfies Operation
