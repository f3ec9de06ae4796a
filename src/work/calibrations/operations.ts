import Type from 'typebox'
import * as field from '../../platform/http/field.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageResponse, pageParameters } from '../../platform/http/paging.ts'
import { exampleCallReference, examplePerson, workOperation } from '../schema.ts'
import {
  calibrationFields,
  CalibrationCallSchema,
  CalibrationPersonSchema,
  CalibrationResultsSchema,
  CalibrationSchema,
  CalibrationWithCallsSchema,
  exampleCalibration,
  exampleCalibrationCall,
  exampleCalibrationResults,
  exampleCalibrationWithCalls,
} from './schema.ts'
import { CALIBRATION_VERDICTS, MAX_CALIBRATIONS } from './values.ts'

/** The access of those who decide verdicts in reviews. */
const calibrationOperation = { ...workOperation, access: 'ownerOrHead', rights: ['editRules'] } as const
const submittedAt = '2026-03-01T08:00:00.000Z'
const [exampleParticipant, ...otherParticipants] = exampleCalibration.participants
const exampleSubmittedCalibration = {
  ...exampleCalibration,
  participants: [{ ...exampleParticipant!, submittedAt }, ...otherParticipants],
  judged: exampleCalibration.rules,
  submittedAt,
  canSeeResults: true,
}
const notFoundResponse = { description: 'No such calibration that you created or take part in.' }

export const listCalibrationsOperation = {
  ...calibrationOperation,
  id: 'listCalibrations',
  method: 'get',
  path: '/v1/calibrations',
  summary: 'Calibrations that you created or take part in',
  description: 'Those that wait for your verdicts come first, then the newest.',
  query: field.object({
    ...pageParameters,
    waiting: Type.Optional(
      field.boolean('true: only those that wait for your verdicts; false: only the others. All by default.'),
    ),
  }),
  responses: { 200: createPageResponse(CalibrationSchema, 'A page of calibrations.', exampleCalibration) },
} as const satisfies Operation

export const listCalibrationPeopleOperation = {
  ...calibrationOperation,
  id: 'listCalibrationPeople',
  method: 'get',
  path: '/v1/calibration-people',
  audit: 'person.list',
  summary: 'People who can take part in a calibration',
  description: 'You, and the owners and heads who can decide verdicts and see calls that you see, by name.',
  responses: {
    200: {
      description: 'The people.',
      json: field.object('The people.', { items: field.list(CalibrationPersonSchema, 'All such people.') }),
      example: { items: [{ ...examplePerson, role: 'head' }] },
    },
  },
} as const satisfies Operation

export const createCalibrationOperation = {
  ...calibrationOperation,
  id: 'createCalibration',
  method: 'post',
  path: '/v1/calibrations',
  summary: 'Create a calibration',
  description:
    'The participants judge the rules of the current check of each call. Scores and verdicts of the calls do not ' +
    'change.',
  body: field.requestBody(
    {
      name: exampleCalibration.name,
      recordingIds: [exampleCallReference.id],
      participantIds: exampleCalibration.participants.map(({ id }) => id),
    },
    calibrationFields,
  ),
  responses: {
    201: {
      description: 'The calibration.',
      json: CalibrationSchema,
      example: { ...exampleCalibration, judged: 0 },
      headers: { Location: 'The address of the calibration.' },
    },
    409: { description: `You already have ${MAX_CALIBRATIONS} calibrations.` },
  },
} as const satisfies Operation

export const readCalibrationOperation = {
  ...calibrationOperation,
  id: 'readCalibration',
  method: 'get',
  path: '/v1/calibrations/{id}',
  audit: 'calibration.read',
  auditObject: 'calibration',
  summary: 'A calibration with its calls and your progress',
  responses: {
    200: { description: 'The calibration.', json: CalibrationWithCallsSchema, example: exampleCalibrationWithCalls },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const deleteCalibrationOperation = {
  ...calibrationOperation,
  id: 'deleteCalibration',
  method: 'delete',
  path: '/v1/calibrations/{id}',
  summary: 'Delete your calibration with all its verdicts',
  responses: { 204: { description: 'Deleted.' }, 404: { description: 'No such calibration of yours.' } },
} as const satisfies Operation

export const readCalibrationCallOperation = {
  ...calibrationOperation,
  id: 'readCalibrationCall',
  method: 'get',
  path: '/v1/calibrations/{id}/calls/{callId}',
  audit: 'calibration.read',
  auditObject: 'calibration',
  summary: 'A call to judge, with your verdicts',
  description: 'The response has no verdicts and quotes of the check, and nothing of the other participants.',
  params: { callId: field.id('The call.') },
  responses: {
    200: { description: 'The call.', json: CalibrationCallSchema, example: exampleCalibrationCall },
    404: { description: 'You do not take part in such a calibration, or it has no such call that you see.' },
  },
} as const satisfies Operation

export const judgeCalibrationRuleOperation = {
  ...calibrationOperation,
  id: 'judgeCalibrationRule',
  method: 'put',
  path: '/v1/calibrations/{id}/rules/{ruleId}',
  summary: 'Judge a rule of a call',
  description: 'Only you see your verdict until you submit. Until then, you can change it.',
  params: { ruleId: field.id('The rule in the call, from the operation readCalibrationCall.') },
  body: field.requestBody(
    { verdict: 'met', comment: 'At the very start' },
    {
      verdict: field.nullable(Type.Enum([...CALIBRATION_VERDICTS]), 'Your verdict; null deletes it.'),
      comment: Type.Optional(
        Type.String({
          maxLength: 2000,
          pattern: field.NO_NUL_PATTERN,
          description: 'Why. Without it, there is no comment.',
        }),
      ),
    },
  ),
  responses: {
    200: { description: 'The calibration now.', json: CalibrationSchema, example: exampleCalibration },
    404: { description: 'You do not take part in such a calibration, or it has no such rule of a call that you see.' },
    409: { description: 'You have submitted your verdicts.' },
  },
} as const satisfies Operation

export const submitCalibrationOperation = {
  ...calibrationOperation,
  id: 'submitCalibration',
  method: 'post',
  path: '/v1/calibrations/{id}/submit',
  summary: 'Submit your verdicts and see the results',
  description: 'Your verdicts cannot change after that. Submitting again changes nothing.',
  responses: {
    200: { description: 'The calibration now.', json: CalibrationSchema, example: exampleSubmittedCalibration },
    404: { description: 'You do not take part in such a calibration.' },
    409: { description: 'You have not judged all rules of the calls that you see.' },
  },
} as const satisfies Operation

export const readCalibrationResultsOperation = {
  ...calibrationOperation,
  id: 'readCalibrationResults',
  method: 'get',
  path: '/v1/calibrations/{id}/results',
  audit: 'calibration.results',
  auditObject: 'calibration',
  summary: 'The agreement of the participants, and their differences',
  description: 'The results have the verdicts of participants who submitted, on calls that you see.',
  query: field.object(pageParameters),
  responses: {
    200: { description: 'The results.', json: CalibrationResultsSchema, example: exampleCalibrationResults },
    404: notFoundResponse,
    409: { description: 'You take part and have not submitted your verdicts.' },
  },
} as const satisfies Operation
