import Type, { type Static } from 'typebox'
import { personSchema } from '../schemas.ts'
import { exampleCheckEstimate, CheckEstimateSchema, callPeriodProperties } from '../backtests/schema.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import * as field from '../../platform/http/field.ts'

const editAccess = { tag: 'Call check', access: 'ownerOrHead', rights: ['editRules'] } as const
const notFoundResponse = { description: 'No such recheck or rule set, or it is outside your access.' }

const AnalysisRunSchema = field.namedObject('AnalysisRun', 'A new check of the calls of a period.', {
  id: field.id('The recheck.'),
  state: field.oneOf(
    ['estimated', 'running', 'done', 'cancelled'],
    'estimated: the recheck starts when it is confirmed.',
  ),
  from: field.time('Calls from this time on.'),
  to: field.time('Calls before this time.'),
  ruleSetId: field.idOrNull('Only calls that this set can apply to; null: all calls.'),
  estimate: CheckEstimateSchema,
  progress: field.object('The progress of the recheck.', {
    queued: field.integer(
      'Calls with a requested check, including checks that another recheck or a person also requested.',
    ),
    waiting: field.integer('Of these, calls whose check waits or runs.'),
    done: field.integer('Of these, checked calls.'),
    skipped: field.integer('Of these, calls whose check was skipped, for example because no set applies to them.'),
    failed: field.integer('Of these, calls whose check failed.'),
  }),
  person: personSchema('The person who requested the recheck. It covers the calls that this person sees.'),
  createdAt: field.time('When the recheck was requested.'),
  confirmedAt: field.timeOrNull('When the recheck was confirmed; null before.'),
  finishedAt: field.timeOrNull('When the recheck ended; null before.'),
})
export type AnalysisRunJson = Static<typeof AnalysisRunSchema>

const exampleRun: AnalysisRunJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8090',
  state: 'estimated',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-04-01T00:00:00.000Z',
  ruleSetId: null,
  estimate: exampleCheckEstimate,
  progress: { queued: 0, waiting: 0, done: 0, skipped: 0, failed: 0 },
  person: { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Olga' },
  createdAt: '2026-04-02T07:00:00.000Z',
  confirmedAt: null,
  finishedAt: null,
}
const runResponse = (state: AnalysisRunJson['state']) => ({
  description: 'The recheck.',
  json: AnalysisRunSchema,
  example: { ...exampleRun, state },
})

export const createAnalysisRunOperation = {
  ...editAccess,
  id: 'createAnalysisRun',
  method: 'post',
  path: '/v1/analysis-runs',
  summary: 'Estimate a recheck of the calls of a period',
  description: 'Nothing is checked before the recheck is confirmed. Earlier results are kept.',
  body: field.requestBody(
    { from: '2026-03-01', to: '2026-03-31' },
    {
      ...callPeriodProperties,
      ruleSetId: Type.Optional(
        field.idOrNull(
          'Only calls with the directions and departments that this set applies to; null or omitted: all calls.',
        ),
      ),
    },
  ),
  responses: {
    201: { ...runResponse('estimated'), headers: { Location: 'The address of the recheck.' } },
    404: notFoundResponse,
    409: { description: 'ANALYSIS_PROVIDER is none.' },
  },
} as const satisfies Operation

export const listAnalysisRunsOperation = {
  ...editAccess,
  id: 'listAnalysisRuns',
  method: 'get',
  path: '/v1/analysis-runs',
  summary: 'Recalculations, newest first',
  description: 'A head sees their own rechecks.',
  query: field.object(pageParameters),
  responses: {
    200: createPageResponse(AnalysisRunSchema, 'A page of rechecks.', exampleRun),
  },
} as const satisfies Operation

export const readAnalysisRunOperation = {
  ...editAccess,
  id: 'readAnalysisRun',
  method: 'get',
  path: '/v1/analysis-runs/{id}',
  summary: 'A recheck and its progress',
  responses: { 200: runResponse('running'), 404: notFoundResponse },
} as const satisfies Operation

export const confirmAnalysisRunOperation = {
  ...editAccess,
  id: 'confirmAnalysisRun',
  method: 'post',
  path: '/v1/analysis-runs/{id}/confirm',
  summary: 'Start a recheck',
  description: 'Its checks run after all other checks.',
  responses: {
    200: runResponse('running'),
    404: notFoundResponse,
    409: { description: 'The recheck was started or cancelled before.' },
  },
} as const satisfies Operation

export const cancelAnalysisRunOperation = {
  ...editAccess,
  id: 'cancelAnalysisRun',
  method: 'post',
  path: '/v1/analysis-runs/{id}/cancel',
  summary: 'Stop a recheck',
  description:
    'Finished checks are kept. Queued and running checks are cancelled, unless another recheck or a person ' +
    'requested the same check.',
  responses: {
    200: runResponse('cancelled'),
    404: notFoundResponse,
    409: { description: 'The recheck has ended.' },
  },
} as const satisfies Operation
