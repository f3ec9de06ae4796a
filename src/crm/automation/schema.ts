import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import { CrmStepSchema, exampleCrmStep } from '../steps/schema.ts'
import * as field from '../../platform/http/field.ts'

const AUTOMATION_STATES = ['off', 'on', 'paused', 'blocked'] as const
const state = field.oneOf(
  AUTOMATION_STATES,
  'off: nothing is requested from the CRM. on: the CRM is read. paused: events are stored but not handled. ' +
    'blocked: the CRM rejects our credentials, or no CRM or another one is configured; reason has the cause.',
)

const CrmConnectionSchema = field.namedObject('CrmConnection', 'The connection to the CRM, without secrets.', {
  configured: field.boolean('Whether CRM_WEBHOOK_URL is set.'),
  host: field.textOrNull('The host of the portal; null if no valid webhook is configured.'),
  state,
  reason: field.textOrNull('Why the automation is blocked, or why the last check failed; null otherwise.'),
  reasonCode: field.textOrNull(
    'The code of the reason: one of the CRM, or one of ours such as MISSING_SCOPES; null without a reason.',
  ),
  user: field.nullable(
    field.object({
      id: field.text('The user’s id in the CRM.'),
      name: field.text('The user’s name in the CRM.'),
    }),
    'The user whose permissions the webhook has, by the last check; null if unknown.',
  ),
  scopes: field.list(Type.String(), 'The scopes that the webhook has, by the last check.'),
  missingScopes: field.list(Type.String(), 'The required scopes that the webhook lacks, by the last check.'),
  checkedAt: field.timeOrNull('When the connection was last checked with this webhook; null if never.'),
  eventToken: field.oneOf(['set', 'unset'], 'Whether CRM_EVENT_TOKEN is set. Without it, events are rejected.'),
  writing: field.object('The writing of comments into deals.', {
    configured: field.boolean('Whether CRM_WRITE_WEBHOOK_URL is set.'),
    on: field.boolean('Whether comments are written into deals.'),
    since: field.timeOrNull('Only calls from this time on get a comment; null while writing is off.'),
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
const connectionResponse = {
  description: 'The connection to the CRM.',
  json: CrmConnectionSchema,
  example: connectionExample,
}

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
    'Returns the webhook’s owner and permissions. Also checks access to the statistics of calls and to their ' +
    'recordings. If the CRM does not respond, the response is still 200, and reason has the cause. A successful ' +
    'check resumes a blocked automation.',
  responses: { 200: connectionResponse },
} as const satisfies Operation

export const CrmAutomationSchema = field.namedObject('CrmAutomation', 'The automation of the CRM.', {
  state,
  reason: field.textOrNull('Why the automation is blocked; null otherwise.'),
  confirmedAt: field.timeOrNull('When an owner confirmed that this is the right CRM; null before.'),
  enabledAt: field.timeOrNull('When the automation was last enabled; null if never.'),
  steps: field.list(CrmStepSchema, 'The steps that read the CRM.'),
})
export type CrmAutomationJson = Static<typeof CrmAutomationSchema>

const automationResponse = {
  description: 'The automation.',
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
  description: 'The automation is off in a new installation: nothing is requested from the CRM.',
  responses: { 200: automationResponse },
} as const satisfies Operation

const conflictResponse = {
  409: { description: 'The state does not allow the change. The message names the missing step.' },
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
    'Enable the automation',
    'Reading starts at once. Requires a successful check and its confirmation; otherwise the response is 409.',
  ),
  pause: defineChange('pause', 'Pause the automation', 'Events are stored and handled after the pause.'),
  resume: defineChange('resume', 'Resume the automation', undefined),
  disable: defineChange(
    'disable',
    'Disable the automation',
    'Stored data stays. The writing of comments is switched off too.',
    false,
  ),
}
/** A change of the automation that an owner can request. Each has its own operation. */
export type CrmAutomationChange = keyof typeof CRM_AUTOMATION_CHANGE_OPERATIONS
