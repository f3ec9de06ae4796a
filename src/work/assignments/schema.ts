import Type, { type Static } from 'typebox'
import { bilingualTextSchema } from '../../check/rules/schema.ts'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageResponse, pageParameters } from '../../platform/http/paging.ts'
import {
  CallReferenceSchema,
  exampleCallReference,
  examplePerson,
  momentSchema,
  noCallResponse,
  personSchema,
  textSchema,
  workOperation,
} from '../schema.ts'
import { MAX_WAITING_ASSIGNMENTS } from './values.ts'

const countsSchema = (description: string) =>
  field.object(description, {
    met: field.integer('Calls that met the rule.'),
    judged: field.integer('Calls that met or missed the rule.'),
  })

const RuleTrendSchema = field.object('How the manager’s calls met the rule.', {
  before: countsSchema('The four weeks before the call was heard.'),
  since: countsSchema('The four weeks since then.'),
  weeks: field.list(
    field.numberOrNull('The share of calls of a week that met the rule, 0 to 1; null without a judged call.'),
    'The shares of these eight weeks, oldest first.',
  ),
})
export type RuleTrendJson = Static<typeof RuleTrendSchema>

const AssignmentSchema = field.namedObject('Assignment', 'A call that a person should hear.', {
  id: field.id('The assignment.'),
  recording: CallReferenceSchema,
  reason: field.text('Why they should hear it.'),
  at: field.numberOrNull('The moment to hear, in seconds from the start of the recording; null for the whole call.'),
  hasAudio: field.boolean('Whether the audio of the call is stored.'),
  rule: field.nullable(
    field.object('The rule.', { key: field.text('Its key.'), name: bilingualTextSchema(200, 'Its requirement.') }),
    'The rule that it is about; null without one.',
  ),
  trend: field.nullable(RuleTrendSchema, 'The trend of the rule; null without a rule and before the call was heard.'),
  person: personSchema('The manager who should hear it.'),
  creator: personSchema('The person who assigned it.'),
  createdAt: field.time('When it was assigned.'),
  acknowledgedAt: field.timeOrNull('When the manager marked it as heard; null if not yet.'),
})
export type AssignmentJson = Static<typeof AssignmentSchema>

const exampleAssignment: AssignmentJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8063',
  recording: exampleCallReference,
  reason: 'You agreed on no next step',
  at: 312,
  hasAudio: true,
  rule: { key: 'next-step', name: { en: 'Agrees the next step', ru: 'Назначил следующий шаг' } },
  trend: null,
  person: { id: '01890a5d-ac96-774b-bcce-b302099a8058', name: 'Max Berger' },
  creator: examplePerson,
  createdAt: '2026-03-01T07:10:00.000Z',
  acknowledgedAt: null,
}

const exampleTrend: RuleTrendJson = {
  before: { met: 2, judged: 8 },
  since: { met: 0, judged: 0 },
  weeks: [0, 0.5, 0, 0.5, null, null, null, null],
}

export const listAssignmentsOperation = {
  ...workOperation,
  id: 'listAssignments',
  method: 'get',
  path: '/v1/assignments',
  audit: 'assignments.list',
  summary: 'Calls that you should hear, or that you assigned',
  description: 'Those that wait come first, then the newest. Assignments of calls that you no longer see are absent.',
  query: field.object({
    ...pageParameters,
    by: Type.Enum(['others', 'me'], {
      default: 'others',
      description: 'others: assigned to you; me: assigned by you.',
    }),
    recordingId: Type.Optional(field.id('Only those of this call.')),
    waiting: Type.Optional(
      field.boolean('true: only those that wait to be heard; false: only those that were heard. All by default.'),
    ),
  }),
  responses: { 200: createPageResponse(AssignmentSchema, 'A page of assignments.', exampleAssignment) },
} as const satisfies Operation

export const createAssignmentOperation = {
  ...workOperation,
  access: 'ownerOrHead',
  id: 'createAssignment',
  method: 'post',
  path: '/v1/assignments',
  summary: 'Ask the manager of a call to hear it',
  description: 'The manager gets a notification. They need a login with the name of the call’s manager.',
  body: field.requestBody(
    { recordingId: exampleCallReference.id, reason: exampleAssignment.reason, at: 312, ruleKey: 'next-step' },
    {
      recordingId: field.id('The call.'),
      reason: textSchema(500, 'Why they should hear it.'),
      at: Type.Optional(momentSchema),
      ruleKey: Type.Optional(
        field.singleLine(100, 'The rule that it is about, by its key in the check of the call. Shows its trend later.'),
      ),
    },
  ),
  responses: {
    201: { description: 'The assignment.', json: AssignmentSchema, example: exampleAssignment },
    404: noCallResponse,
    409: {
      description:
        `The manager has no login, or is you, or has ${MAX_WAITING_ASSIGNMENTS} calls to hear, or your assignment of ` +
        'this call still waits.',
    },
  },
} as const satisfies Operation

export const acknowledgeAssignmentOperation = {
  ...workOperation,
  id: 'acknowledgeAssignment',
  method: 'post',
  path: '/v1/assignments/{id}/acknowledge',
  summary: 'Mark a call that was assigned to you as heard',
  description: 'Its notification becomes read. Marking it again changes nothing.',
  responses: {
    200: {
      description: 'The assignment now.',
      json: AssignmentSchema,
      example: { ...exampleAssignment, trend: exampleTrend, acknowledgedAt: '2026-03-01T08:00:00.000Z' },
    },
    404: { description: 'No such assignment to you, or the call is outside your access.' },
  },
} as const satisfies Operation

export const deleteAssignmentOperation = {
  ...workOperation,
  access: 'ownerOrHead',
  id: 'deleteAssignment',
  method: 'delete',
  path: '/v1/assignments/{id}',
  summary: 'Delete your assignment of a call',
  description: 'Its notification is deleted with it.',
  responses: { 204: { description: 'Deleted.' }, 404: { description: 'No such assignment of yours.' } },
} as const satisfies Operation
