import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageSchema, pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { RulesSchema, UnvalidatedRulesSchema } from '../rules/schema.ts'
import {
  BACKTEST_STATES,
  BacktestSchema,
  ChangedBacktestCallSchema,
  CheckEstimateSchema,
  DraftTrialSchema,
  RuleSetReachSchema,
  exampleCheckEstimate,
  exampleBacktest,
  exampleRuleSetReach,
  callPeriodProperties,
  recentCallPeriodProperties,
} from './schema.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'
const editAccess = { tag, access: 'ownerOrHead', rights: ['editRules'] } as const
const notFoundResponse = { description: 'No such rule set, backtest or call, or it is outside your access.' }
const noDraftResponse = { description: 'The set has no draft.' }

const periodExample = { from: '2026-03-01', to: '2026-04-01' }

const trialBody = <T extends Type.TSchema>(rules: T) =>
  field.requestBody(
    { recordingId: '01890a5d-ac96-774b-bcce-b302099a8057' },
    {
      recordingId: field.id('The call.'),
      rules: Type.Optional(rules),
      wordsOnly: Type.Optional(
        field.boolean('true: judge by words alone, even if a model judges calls. No text leaves the server.'),
      ),
    },
  )

export const tryRuleSetDraftOperation = {
  ...editAccess,
  id: 'tryRuleSetDraft',
  method: 'post',
  path: '/v1/rule-sets/{id}/draft/try',
  audit: 'rules.try',
  auditObject: 'recording',
  auditBy: { field: 'recordingId', id: 'ruleSetId' },
  summary: 'Try a draft, or rules that are not stored, on a call',
  description: 'Stores no verdicts. Also works for calls that the set does not apply to.',
  body: trialBody(UnvalidatedRulesSchema),
  publishedBody: trialBody(RulesSchema),
  responses: {
    200: {
      description: 'The result.',
      json: DraftTrialSchema,
      example: {
        score: 100,
        scoreBeforeCritical: 100,
        coverage: 100,
        findings: [
          {
            rule: 'greeting',
            verdict: 'met',
            decidedBy: 'rules',
            why: 'Found: 1.',
            whyCode: { code: 'found', count: 1 },
            evidence: [],
          },
        ],
        model: null,
        usage: null,
        cost: null,
      },
    },
    404: notFoundResponse,
    409: {
      description:
        'The set has no draft, the call has no transcript, or the model did not answer. `message` has the reason.',
    },
  },
} as const satisfies Operation

export const estimateRuleSetDraftOperation = {
  ...editAccess,
  id: 'estimateRuleSetDraft',
  method: 'post',
  path: '/v1/rule-sets/{id}/draft/estimate',
  summary: 'Estimate a check of the calls of a period by the draft',
  optionalBody: true,
  body: field.requestBody(periodExample, recentCallPeriodProperties),
  responses: {
    200: { description: 'The estimate.', json: CheckEstimateSchema, example: exampleCheckEstimate },
    404: notFoundResponse,
    409: noDraftResponse,
  },
} as const satisfies Operation

export const readRuleSetReachOperation = {
  ...editAccess,
  id: 'readRuleSetReach',
  method: 'get',
  path: '/v1/rule-sets/{id}/reach',
  summary: 'The recent calls that a rule set gets in the present order of sets',
  description:
    'Counts the calls with a transcript that you see, at most the newest 1000 that fit the scope of the set. A ' +
    'set without a published version counts as if it had one.',
  query: field.object({
    days: Type.Integer({ minimum: 1, maximum: 365, default: 30, description: 'The number of days before now.' }),
  }),
  responses: {
    200: { description: 'The counts.', json: RuleSetReachSchema, example: exampleRuleSetReach },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const createBacktestOperation = {
  ...editAccess,
  id: 'createBacktest',
  method: 'post',
  path: '/v1/rule-sets/{id}/backtests',
  summary: 'Start a backtest: check the newest calls of a period by the draft and by the published version',
  description:
    'Judges only calls that the set gets in the order of sets at the start of the backtest. Judges by words ' +
    'alone, even if a model judges calls; POST draft/estimate returns the cost of the model.',
  body: field.requestBody(
    { ...periodExample, limit: 1000 },
    {
      ...callPeriodProperties,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'The maximum number of calls; default 1000.' }),
      ),
    },
  ),
  responses: {
    201: {
      description: 'The backtest has started.',
      json: BacktestSchema,
      example: exampleBacktest,
      headers: { Location: 'The address of the backtest.' },
    },
    404: notFoundResponse,
    409: noDraftResponse,
  },
} as const satisfies Operation

export const listBacktestsOperation = {
  ...editAccess,
  id: 'listBacktests',
  method: 'get',
  path: '/v1/rule-sets/{id}/backtests',
  summary: 'Backtests of a rule set, newest first',
  query: field.object({
    ...pageParameters,
    state: Type.Optional(field.oneOf(BACKTEST_STATES, 'Only backtests in this state.')),
    current: Type.Optional(
      field.boolean('true: only backtests of the current rules of the draft; false: only other backtests.'),
    ),
  }),
  responses: {
    200: createPageResponse(BacktestSchema, 'A page of backtests.', exampleBacktest),
    404: notFoundResponse,
  },
} as const satisfies Operation

export const readBacktestOperation = {
  ...editAccess,
  id: 'readBacktest',
  method: 'get',
  path: '/v1/backtests/{id}',
  summary: 'A backtest and its results so far',
  responses: {
    200: { description: 'The backtest.', json: BacktestSchema, example: exampleBacktest },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const listBacktestCallsOperation = {
  ...editAccess,
  id: 'listBacktestCalls',
  method: 'get',
  path: '/v1/backtests/{id}/calls',
  audit: 'backtest.calls',
  auditObject: 'backtest',
  summary: 'Calls with a different result in the draft, with quotes; largest change of score first',
  query: field.object(pageParameters),
  responses: {
    200: {
      description: 'A page of calls.',
      json: createPageSchema(ChangedBacktestCallSchema, 'A page of calls.'),
      example: {
        items: [
          {
            recordingId: '01890a5d-ac96-774b-bcce-b302099a8057',
            recording: {
              phoneNumber: '+375 29 111-22-33',
              managerName: 'Max Berger',
              callAt: '2026-03-01T07:00:00.000Z',
            },
            oldScore: 40,
            newScore: 100,
            changes: [
              {
                rule: 'greeting',
                name: { en: 'Greets the client', ru: 'Поздоровался' },
                old: 'missed',
                new: 'met',
                oldEvidence: [],
                newEvidence: [],
              },
            ],
          },
        ],
        total: 1,
        page: 1,
        pageSize: 25,
      },
    },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const cancelBacktestOperation = {
  ...editAccess,
  id: 'cancelBacktest',
  method: 'post',
  path: '/v1/backtests/{id}/cancel',
  summary: 'Stop a backtest',
  responses: {
    200: {
      description: 'The backtest after the request.',
      json: BacktestSchema,
      example: { ...exampleBacktest, state: 'cancelled' },
    },
    404: notFoundResponse,
    409: { description: 'The backtest has ended.' },
  },
} as const satisfies Operation
