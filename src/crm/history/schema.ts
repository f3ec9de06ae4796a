import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import type { ResultPage } from '../../platform/db/page.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import * as field from '../../platform/http/field.ts'

const defineRange = (description: string) =>
  field.object(description, {
    low: field.number('The lower estimate.'),
    high: field.number('The upper estimate.'),
  })
const defineMoment = (description: string) =>
  field.dayOrTime(`${description} ISO 8601; a day alone is a day of APP_TIMEZONE.`)

const HistoryEstimateSchema = field.namedObject(
  'CrmEstimate',
  'The estimated cost of a load of the history, by a sample.',
  {
    id: field.id('The id of the estimate, with which the load is started.'),
    calls: field.integer('The estimated number of calls to load.'),
    alreadyHere: field.integer('The estimated number of calls that are already stored.'),
    hours: field.number('The estimated hours of audio to load.'),
    diskBytes: field.integer('The estimated size of this audio in bytes.'),
    freeBytes: field.integerOrNull('Free bytes of the storage; null if it does not report them.'),
    loadSeconds: defineRange('The duration of loading in seconds.'),
    recognitionSeconds: defineRange('The duration of transcribing in seconds, including the calls that already wait.'),
    allowed: field.boolean('Whether the load can be started.'),
    reasons: field.list(Type.String(), 'Why the load cannot be started; empty if it can.'),
    expiresAt: field.time('When the estimate expires.'),
  },
)
export type HistoryEstimateJson = Static<typeof HistoryEstimateSchema>

const estimateExample: HistoryEstimateJson = {
  id: '0197a0d0-0000-7000-8000-000000000001',
  calls: 9600,
  alreadyHere: 0,
  hours: 480,
  diskBytes: 6_912_000_000,
  freeBytes: 90_000_000_000,
  loadSeconds: { low: 9013, high: 14_083 },
  recognitionSeconds: { low: 34_560, high: 54_000 },
  allowed: true,
  reasons: [],
  expiresAt: '2026-03-02T07:10:00.000Z',
}

const LOAD_STATES = ['running', 'paused', 'done', 'cancelled', 'failed'] as const

const HistoryLoadSchema = field.namedObject('CrmLoad', 'A load of past calls.', {
  id: field.id('The load.'),
  state: field.oneOf(LOAD_STATES, 'The state of the load.'),
  from: field.time('Calls that began at this time or later.'),
  to: field.time('Calls that began before this time.'),
  found: field.integer('Calls of the period that were read so far.'),
  loaded: field.integer('Calls of the period whose recording was loaded.'),
  skipped: field.integer(
    'Calls of the period that are not loaded: unanswered ones, calls of users outside the roster, and calls that ' +
      'exist already.',
  ),
  failed: field.integer('Calls of the period that failed to load.'),
  waiting: field.integer('Calls of the period that wait to be loaded.'),
  invalidValues: field.integer('Invalid values of these calls, stored as null.'),
  readWhole: field.boolean('Whether the whole period has been read.'),
  lastError: field.textOrNull('Why the load is paused or failed; null otherwise.'),
  createdAt: field.time('When the load was started.'),
  finishedAt: field.timeOrNull('When the load ended; null before.'),
})
export type HistoryLoadJson = Static<typeof HistoryLoadSchema>
/** A page of history loads, newest first. */
export type HistoryLoadsPage = ResultPage<HistoryLoadJson>

const loadExample: HistoryLoadJson = {
  id: '0197a0d0-0000-7000-8000-000000000002',
  state: 'running',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-03-01T00:00:00.000Z',
  found: 1250,
  loaded: 300,
  skipped: 250,
  failed: 0,
  waiting: 700,
  invalidValues: 0,
  readWhole: false,
  lastError: null,
  createdAt: '2026-03-01T07:10:00.000Z',
  finishedAt: null,
}
const loadResponse = { description: 'The load.', json: HistoryLoadSchema, example: loadExample }

export const estimateCrmHistoryOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'estimateCrmHistory',
  method: 'post',
  path: '/v1/crm/history/estimates',
  summary: 'Estimate a load of past calls',
  description: 'Reads counts and a sample from the portal. The load can be started within a day.',
  body: field.requestBody(
    { from: '2026-01-01', to: '2026-03-01' },
    {
      from: defineMoment('Calls from this time on.'),
      to: defineMoment('Calls before this time, or up to the end of this day.'),
    },
  ),
  responses: {
    201: { description: 'The estimate.', json: HistoryEstimateSchema, example: estimateExample },
    409: { description: 'The automation is not on, or there is no roster.' },
    502: { description: 'The portal sent an invalid response.' },
  },
} as const satisfies Operation

export const startCrmLoadOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'startCrmLoad',
  method: 'post',
  path: '/v1/crm/history/loads',
  summary: 'Load past calls as estimated',
  body: field.requestBody({ estimateId: estimateExample.id }, { estimateId: field.id('The id of the estimate.') }),
  responses: {
    201: loadResponse,
    409: {
      description: 'The estimate has expired, does not allow the load or was used already, or another load is running.',
    },
  },
} as const satisfies Operation

export const listCrmLoadsOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'listCrmLoads',
  method: 'get',
  path: '/v1/crm/history/loads',
  summary: 'The loads of the history, newest first',
  query: field.object(pageParameters),
  responses: {
    200: createPageResponse(HistoryLoadSchema, 'A page of loads.', loadExample),
  },
} as const satisfies Operation

export const readCrmLoadOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'readCrmLoad',
  method: 'get',
  path: '/v1/crm/history/loads/{id}',
  summary: 'One load of the history',
  responses: { 200: loadResponse },
} as const satisfies Operation

/** A change of a history load that an owner can request. */
export type HistoryLoadChange = 'pause' | 'resume' | 'cancel'

const defineChange = (verb: HistoryLoadChange, summary: string) =>
  ({
    ...CRM_OWNER_OPERATION_DEFAULTS,
    id: `${verb}CrmLoad`,
    method: 'post',
    path: `/v1/crm/history/loads/{id}/${verb}`,
    summary,
    responses: { 200: loadResponse, 409: { description: 'The state of the load does not allow this.' } },
  }) as const satisfies Operation

export const HISTORY_LOAD_CHANGE_OPERATIONS = {
  pause: defineChange('pause', 'Pause a load of the history'),
  resume: defineChange('resume', 'Resume a load of the history'),
  cancel: defineChange('cancel', 'Cancel a load of the history; loaded calls stay'),
}
