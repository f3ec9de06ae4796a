import Type, { type Static } from 'typebox'
import { DEFAULT_PAGE_SIZE, pageOf, pageParameters } from '../../platform/http/paging.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { nullable } from '../../calls/recordings/schema.ts'
import { SKIP_REASONS } from '../calls/eligible.ts'
import { closed, count, text, time } from '../schema-parts.ts'
import { narrowing } from './schema.ts'
import { STATES } from './states.ts'

const states = Object.keys(STATES) as (keyof typeof STATES)[]
const reasons = [...SKIP_REASONS, 'doubled'] as const

const CallSchema = Type.Object(
  {
    id: text('Its number in the portal’s statistics.'),
    callId: text('The call’s id there, the externalCallId of its recording.'),
    startedAt: time('When it began.'),
    manager: nullable(Type.String(), 'Who called; null for a call of nobody.'),
    phoneNumber: nullable(Type.String(), 'The client’s number, as the portal has it.'),
    durationSeconds: count('How long it was.'),
    state: Type.Enum(
      states.filter((state) => state !== 'received'),
      {
        description: 'What became of it: where the reconciliation counts it.',
      },
    ),
    reason: nullable(Type.String(), 'Why it was not loaded: of state skipped.'),
    error: nullable(Type.String(), 'Why it could not be loaded: of state loadFailed.'),
    recordingId: nullable(Type.String(), 'Its recording here; null where there is none.'),
  },
  { ...closed, title: 'CrmCall', description: 'A call of the CRM.' },
)
export type CrmCallJson = Static<typeof CallSchema>

const example: CrmCallJson = {
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

export const listReconciledCalls = {
  id: 'listReconciledCalls',
  method: 'get',
  path: '/v1/crm/reconciliation/calls',
  tag: 'CRM',
  summary: 'The calls behind a number of the reconciliation',
  description: 'With the same filters it counts the same. The last call first.',
  access: 'scoped',
  rights: ['analytics'],
  closedToKeys: true,
  audit: 'crm.reconciliation',
  query: Type.Object(
    {
      ...narrowing,
      manager: Type.Optional(
        Type.String({
          maxLength: 300,
          pattern: '^[^\\u0000]*$',
          description: 'In double quotes the whole name, two quotes alone for calls of nobody; else a part of it.',
        }),
      ),
      state: Type.Optional(
        Type.Enum(states, { description: 'What became of them; received is any of those that came here.' }),
      ),
      reason: Type.Optional(
        Type.Enum(reasons, { description: 'Why they were not loaded; then they are those of state skipped.' }),
      ),
      ...pageParameters,
    },
    closed,
  ),
  responses: {
    200: {
      description: 'A page of the calls.',
      json: pageOf(CallSchema, 'A page of calls of the CRM.'),
      example: { items: [example], total: 1, page: 1, pageSize: DEFAULT_PAGE_SIZE },
    },
  },
} as const satisfies Operation
