import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import * as field from '../../platform/http/field.ts'

export const ALL_CRM_STEP_NAMES = [
  'users',
  'departments',
  'funnels',
  'stages',
  'deals',
  'stage-history',
  'contacts',
  'calls',
  'control',
] as const
export type CrmStepName = (typeof ALL_CRM_STEP_NAMES)[number]

const STEP_STATES = ['waiting', 'due', 'running', 'backing-off', 'attention', 'blocked'] as const

export const CrmStepSchema = field.namedObject('CrmStep', 'A repeated read of the CRM.', {
  name: field.oneOf(ALL_CRM_STEP_NAMES, 'The step.'),
  state: field.oneOf(
    STEP_STATES,
    'waiting: for its next time, or for the condition in waitsFor. due: it runs in a moment. running. ' +
      'backing-off: it failed and is retried. attention: a person should read lastError. blocked: the webhook lacks ' +
      'a permission.',
  ),
  waitsFor: field.nullable(
    Type.Enum(['automation', 'roster', 'department-funnels', ...ALL_CRM_STEP_NAMES]),
    'The missing condition of the step; null if none is missing.',
  ),
  read: field.integer('Rows read by the last or current run.'),
  new: field.integer('Of these, new rows.'),
  changed: field.integer('Of these, changed rows.'),
  invalidValues: field.integer('Invalid values of these rows, stored as null.'),
  quarantined: field.integer(
    'Rows in quarantine, because they could not be stored. GET /v1/crm/quarantine lists at most 500.',
  ),
  lastRunAt: field.timeOrNull('When the last run ended; null if none has.'),
  lastSuccessAt: field.timeOrNull('When a run last succeeded; null if none has.'),
  nextRunAt: field.timeOrNull(
    'When the next run can begin; null if the step waits for a condition, or stopped until a person or a ' +
      'permission releases it.',
  ),
  lastError: field.textOrNull('The error or notice of the last run; null without one.'),
  errorCode: field.textOrNull('The error code of the CRM, or one of ours such as NOTICE; null without an error.'),
})
export type CrmStepJson = Static<typeof CrmStepSchema>

export const exampleCrmStep: CrmStepJson = {
  name: 'deals',
  state: 'waiting',
  waitsFor: null,
  read: 214,
  new: 3,
  changed: 12,
  invalidValues: 0,
  quarantined: 0,
  lastRunAt: '2026-03-01T07:10:04.000Z',
  lastSuccessAt: '2026-03-01T07:10:04.000Z',
  nextRunAt: '2026-03-01T07:20:00.000Z',
  lastError: null,
  errorCode: null,
}

const stepsResponse = {
  description: 'All steps.',
  json: field.list(CrmStepSchema, 'All steps.'),
  example: [exampleCrmStep],
}

export const readCrmStepsOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'readCrmSteps',
  method: 'get',
  path: '/v1/crm/steps',
  summary: 'The steps that read the CRM, and their progress',
  responses: { 200: stepsResponse },
} as const satisfies Operation

const stepParams = { name: field.oneOf(ALL_CRM_STEP_NAMES, 'The step.') }
const acceptedResponse = {
  description: 'The run starts in a moment.',
  json: CrmStepSchema,
  example: { ...exampleCrmStep, state: 'due' },
}

export const runCrmStepOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'runCrmStep',
  method: 'post',
  path: '/v1/crm/steps/{name}/run',
  summary: 'Run a step now',
  description: 'Also runs a step that needs attention.',
  params: stepParams,
  responses: {
    202: acceptedResponse,
    404: { description: 'No such step.' },
    409: { description: 'The step waits for a condition; the message names it.' },
  },
} as const satisfies Operation

export const resetCrmStepOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'resetCrmStep',
  method: 'post',
  path: '/v1/crm/steps/{name}/reset',
  summary: 'Reset the position of a step',
  description:
    'The step reads everything again, including the rows in quarantine. Stored rows, recordings, links, comments ' +
    'and the roster stay.',
  params: stepParams,
  responses: { 202: acceptedResponse, 404: { description: 'No such step.' } },
} as const satisfies Operation

export const resetCrmOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'resetCrm',
  method: 'post',
  path: '/v1/crm/reset',
  summary: 'Reset the positions of all steps',
  description:
    'The step reads everything again, including the rows in quarantine. Stored rows, recordings, links, comments ' +
    'and the roster stay.',
  responses: { 202: stepsResponse },
} as const satisfies Operation
