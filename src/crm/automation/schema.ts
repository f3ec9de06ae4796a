import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { owner } from '../schema-parts.ts'
import { StepSchema, stepExample } from '../steps/schema.ts'
import * as field from '../../platform/http/field.ts'

const STATES = ['off', 'on', 'paused', 'blocked'] as const
const state = field.oneOf(
  STATES,
  'off: nothing is asked of the CRM. on: it is read. paused: events are kept and not worked. blocked: the CRM lets us ' +
    'in no more, or another one is configured; reason says why.',
)

export const ConnectionSchema = field.titled('CrmConnection', 'The connection to the CRM; never a secret.', {
  configured: field.boolean('Whether CRM_WEBHOOK_URL is set.'),
  host: field.textOrNull('The portal that it leads to.'),
  state,
  reason: field.textOrNull('Why it is blocked, or why the last check did not pass.'),
  reasonCode: field.textOrNull('The same as a code: one of the CRM, or one of ours such as MISSING_SCOPES.'),
  user: field.nullable(
    field.object({
      id: field.text('Their id in the CRM.'),
      name: field.text('Their name there.'),
    }),
    'With whose rights the webhook reads, as the last check found.',
  ),
  scopes: field.list(Type.String(), 'The scopes that the webhook has.'),
  missingScopes: field.list(Type.String(), 'The scopes that it lacks.'),
  checkedAt: field.timeOrNull('When it was last checked.'),
  eventToken: field.oneOf(['set', 'unset'], 'Whether CRM_EVENT_TOKEN is set: without it no event is taken.'),
  writing: field.object('Comments into deals.', {
    configured: field.boolean('Whether CRM_WRITE_WEBHOOK_URL is set.'),
    on: field.boolean('Whether comments are written into deals.'),
    since: field.timeOrNull('Since when; only calls after that. Null while it is off.'),
  }),
})
export type ConnectionJson = Static<typeof ConnectionSchema>

const connectionExample: ConnectionJson = {
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
const connection = { description: 'As it is now.', json: ConnectionSchema, example: connectionExample }

export const readConnection = {
  id: 'readCrmConnection',
  method: 'get',
  path: '/v1/crm/connection',
  tag: 'CRM',
  summary: 'The connection to the CRM',
  access: 'ownerOrKey',
  responses: { 200: connection },
} as const satisfies Operation

export const checkConnection = {
  ...owner,
  id: 'checkCrmConnection',
  method: 'post',
  path: '/v1/crm/connection/check',
  summary: 'Ask the CRM whether it can be read',
  description:
    'Returns the webhook’s owner and permissions, and whether the statistics of calls and their recordings are ' +
    'accessible. A CRM that does not respond is no error: reason has the cause. A successful check resumes a blocked ' +
    'automation.',
  responses: { 200: connection },
} as const satisfies Operation

export const AutomationSchema = field.titled('CrmAutomation', 'Whether the CRM is read by itself.', {
  state,
  reason: field.textOrNull('Why it is blocked.'),
  confirmedAt: field.timeOrNull('When an owner confirmed that this is the right CRM.'),
  enabledAt: field.timeOrNull('When it was last enabled.'),
  steps: field.list(StepSchema, 'The repeated steps.'),
})
export type AutomationJson = Static<typeof AutomationSchema>

const automation = {
  description: 'As it is now.',
  json: AutomationSchema,
  example: {
    state: 'on',
    reason: null,
    confirmedAt: '2026-03-01T07:01:00.000Z',
    enabledAt: '2026-03-01T07:02:00.000Z',
    steps: [stepExample],
  } satisfies AutomationJson,
}

export const readAutomation = {
  ...owner,
  id: 'readCrmAutomation',
  method: 'get',
  path: '/v1/crm/automation',
  summary: 'Whether the CRM is read by itself',
  description: 'After a fresh deployment it is off: nothing is asked of the CRM.',
  responses: { 200: automation },
} as const satisfies Operation

const conflict = { 409: { description: 'The present state does not allow this; the message names the missing step.' } }

const change = (
  verb: 'confirm' | 'enable' | 'pause' | 'resume' | 'disable',
  summary: string,
  description: string | undefined,
  conflicts = true,
) =>
  ({
    ...owner,
    id: `${verb}CrmAutomation`,
    method: 'post',
    path: `/v1/crm/automation/${verb}`,
    summary,
    ...(description !== undefined && { description }),
    responses: conflicts ? { 200: automation, ...conflict } : { 200: automation },
  }) as const satisfies Operation

export const AUTOMATION_CHANGES = {
  confirm: change('confirm', 'Confirm that the connected CRM is the right one', 'After a check that passed.'),
  enable: change(
    'enable',
    'Let the CRM be read by itself',
    'Reading starts at once. Before a check that passed and its confirmation: 409.',
  ),
  pause: change('pause', 'Ask nothing of the CRM for a while', 'Events are kept and worked after it.'),
  resume: change('resume', 'Go on after a pause', undefined),
  disable: change('disable', 'Switch the automation off', 'Stored data stays.', false),
}
export type AutomationChange = keyof typeof AUTOMATION_CHANGES
