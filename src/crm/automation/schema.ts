import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import { CrmStepSchema, exampleCrmStep } from '../steps/schema.ts'
import * as field from '../../platform/http/field.ts'

const AUTOMATION_STATES = ['off', 'on', 'paused', 'blocked'] as const
const state = field.oneOf(
  AUTOMATION_STATES,
  'off: nothing is asked of the CRM. on: it is read. paused: events are kept and not worked. blocked: the CRM lets us ' +
    'in no more, or another one is configured; reason says why.',
)

export const CrmConnectionSchema = field.namedObject('CrmConnection', 'The connection to the CRM; never a secret.', {
  configured: field.boolean('Whether CRM_WEBHOOK_URL is set.'),
  host: field.textOrNull('The address of the portal.'),
  state,
  reason: field.textOrNull('Why it is blocked, or why the last check failed.'),
  reasonCode: field.textOrNull('The same as a code: one of the CRM, or one of ours such as MISSING_SCOPES.'),
  user: field.nullable(
    field.object({
      id: field.text('The user’s id in the CRM.'),
      name: field.text('The user’s name in the CRM.'),
    }),
    'The user whose rights the webhook has, by the last check.',
  ),
  scopes: field.list(Type.String(), 'The scopes that the webhook has.'),
  missingScopes: field.list(Type.String(), 'The scopes that it lacks.'),
  checkedAt: field.timeOrNull('When it was last checked.'),
  eventToken: field.oneOf(['set', 'unset'], 'Whether CRM_EVENT_TOKEN is set; without it events are rejected.'),
  writing: field.object('Comments into deals.', {
    configured: field.boolean('Whether CRM_WRITE_WEBHOOK_URL is set.'),
    on: field.boolean('Whether comments are written into deals.'),
    since: field.timeOrNull('Only calls after this time; null while it is off.'),
  }),
})
export type CrmConnectionJson = Static<typeof CrmConnectionSchema>

const connectionExample: CrmConnectionJson = {
  configured: true,
  host: 'company.bitrix24.by',
  state: 'on',
  reason: null,
  reasonCode: null,
  user: { id: '1', name: 'Olga Sidorova' },
  scopes: ['crm', 'telephony', 'user_basic', 'department', 'disk'],
  missingScopes: [],
  checkedAt: '2026-03-01T07:00:00.000Z',
  eventToken: 'set',
  writing: { configured: false, on: false, since: null },
}
const connectionResponse = { description: 'The connection now.', json: CrmConnectionSchema, example: connectionExample }

export const readCrmConnectionOperation = {
  id: 'readCrmConnection',
  method: 'get',
  path: '/v1/crm/connection',
  tag: 'CRM',
  summary: 'The connection to the CRM',
  access: 'ownerOrKey',
  responses: { 200: connectionResponse },
} as const satisfies Operation

export const checkCrmConnectionOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'checkCrmConnection',
  method: 'post',
  path: '/v1/crm/connection/check',
  summary: 'Check the connection to the CRM',
  description:
    'Returns the webhook’s owner and permissions, and whether the statistics of calls and their recordings are ' +
    'accessible. A CRM that does not respond is no error: reason has the cause. A successful check resumes a blocked ' +
    'automation.',
  responses: { 200: connectionResponse },
} as const satisfies Operation

export const CrmAutomationSchema = field.namedObject('CrmAutomation', 'The automation of the CRM.', {
  state,
  reason: field.textOrNull('Why it is blocked.'),
  confirmedAt: field.timeOrNull('When an owner confirmed that this is the right CRM.'),
  enabledAt: field.timeOrNull('When it was last enabled.'),
  steps: field.list(CrmStepSchema, 'The repeated steps.'),
})
export type CrmAutomationJson = Static<typeof CrmAutomationSchema>

const automationResponse = {
  description: 'The automation now.',
  json: CrmAutomationSchema,
  example: {
    state: 'on',
    reason: null,
    confirmedAt: '2026-03-01T07:01:00.000Z',
    enabledAt: '2026-03-01T07:02:00.000Z',
    steps: [exampleCrmStep],
  } satisfies CrmAutomationJson,
}

export const readCrmAutomationOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'readCrmAutomation',
  method: 'get',
  path: '/v1/crm/automation',
  summary: 'The state of the automation',
  description: 'It is off in a new installation: nothing is requested from the CRM.',
  responses: { 200: automationResponse },
} as const satisfies Operation

const conflictResponse = {
  409: { description: 'The present state does not allow this; the message names the missing step.' },
}

const defineChange = (
  verb: 'confirm' | 'enable' | 'pause' | 'resume' | 'disable',
  summary: string,
  description: string | undefined,
  conflicts = true,
) =>
  ({
    ...CRM_OWNER_OPERATION_DEFAULTS,
    id: `${verb}CrmAutomation`,
    method: 'post',
    path: `/v1/crm/automation/${verb}`,
    summary,
    ...(description !== undefined && { description }),
    responses: conflicts ? { 200: automationResponse, ...conflictResponse } : { 200: automationResponse },
  }) as const satisfies Operation

export const CRM_AUTOMATION_CHANGE_OPERATIONS = {
  confirm: defineChange('confirm', 'Confirm that the connected CRM is the right one', 'Requires a successful check.'),
  enable: defineChange(
    'enable',
    'Switch the automation on',
    'Reading starts at once. Without a successful check and its confirmation: 409.',
  ),
  pause: defineChange('pause', 'Pause the automation', 'Events are stored and handled after the pause.'),
  resume: defineChange('resume', 'Resume the automation', undefined),
  disable: defineChange('disable', 'Switch the automation off', 'Stored data stays.', false),
}
/** A change of the automation that an owner can request. Each has its own operation. */
export type CrmAutomationChange = keyof typeof CRM_AUTOMATION_CHANGE_OPERATIONS
