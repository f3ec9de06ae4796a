import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'

const access = { tag: 'Recordings', access: 'ownerOrHead', rights: ['manageRecordings'] } as const
const notFoundResponse = { description: 'No such run, or it is outside your access.' }

const SeparationRunSchema = field.namedObject(
  'SeparationRun',
  'The separation of the speakers in the calls of a period.',
  {
    id: field.id('The run.'),
    state: field.oneOf(
      ['estimated', 'running', 'done', 'cancelled'],
      'estimated: the run starts when it is confirmed.',
    ),
    from: field.time('Calls from this time on.'),
    to: field.time('Calls before this time.'),
    estimate: field.object('The estimate at the time of the request.', {
      calls: field.integer('Calls on one channel with times of words and without separated voices.'),
      checkedCalls: field.integer('Of these, checked calls. They are checked again.'),
      audioSeconds: field.number('The total length of their audio in seconds.'),
      seconds: field.integer('The estimated duration in seconds.'),
    }),
    progress: field.object('The progress of the run.', {
      queued: field.integer('Calls that the run has queued.'),
      waiting: field.integer('Of these, calls whose separation waits or runs.'),
      done: field.integer('Of these, finished calls, including calls that get the method none.'),
      failed: field.integer('Of these, calls whose separation failed.'),
    }),
    person: field.object('The person who requested the run. It covers the calls that this person sees.', {
      id: field.id('The person.'),
      name: field.text('The person’s name at that time.'),
    }),
    createdAt: field.time('When the run was requested.'),
    confirmedAt: field.timeOrNull('When the run was confirmed; null before.'),
    finishedAt: field.timeOrNull('When the run ended; null before.'),
  },
)
export type SeparationRunJson = Static<typeof SeparationRunSchema>

const exampleRun: SeparationRunJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8091',
  state: 'estimated',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-04-01T00:00:00.000Z',
  estimate: { calls: 1000, checkedCalls: 900, audioSeconds: 180_000, seconds: 3600 },
  progress: { queued: 0, waiting: 0, done: 0, failed: 0 },
  person: { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Olga' },
  createdAt: '2026-04-02T07:00:00.000Z',
  confirmedAt: null,
  finishedAt: null,
}
const runResponse = (state: SeparationRunJson['state']) => ({
  description: 'The run.',
  json: SeparationRunSchema,
  example: { ...exampleRun, state },
})

export const createSeparationRunOperation = {
  ...access,
  id: 'createSeparationRun',
  method: 'post',
  path: '/v1/separation-runs',
  summary: 'Estimate the separation of the speakers in the calls of a period',
  description:
    'Nothing is separated before the run is confirmed. Checked calls are then checked again. Calls with separated ' +
    'voices are omitted.',
  body: field.requestBody(
    { from: '2026-03-01', to: '2026-03-31' },
    {
      from: field.dayOrTime('Calls from this time on.'),
      to: field.dayOrTime('Calls before this time; a day alone is included.'),
    },
  ),
  responses: { 201: { ...runResponse('estimated'), headers: { Location: 'The address of the run.' } } },
} as const satisfies Operation

export const listSeparationRunsOperation = {
  ...access,
  id: 'listSeparationRuns',
  method: 'get',
  path: '/v1/separation-runs',
  summary: 'Separations of periods, newest first',
  description: 'A head sees their own runs.',
  query: field.object(pageParameters),
  responses: { 200: createPageResponse(SeparationRunSchema, 'A page of runs.', exampleRun) },
} as const satisfies Operation

export const readSeparationRunOperation = {
  ...access,
  id: 'readSeparationRun',
  method: 'get',
  path: '/v1/separation-runs/{id}',
  summary: 'The separation of a period and its progress',
  responses: { 200: runResponse('running'), 404: notFoundResponse },
} as const satisfies Operation

export const confirmSeparationRunOperation = {
  ...access,
  id: 'confirmSeparationRun',
  method: 'post',
  path: '/v1/separation-runs/{id}/confirm',
  summary: 'Start the separation of a period',
  description: 'Calls that a person requested are separated first.',
  responses: {
    200: runResponse('running'),
    404: notFoundResponse,
    409: { description: 'The run was started or cancelled before.' },
  },
} as const satisfies Operation

export const cancelSeparationRunOperation = {
  ...access,
  id: 'cancelSeparationRun',
  method: 'post',
  path: '/v1/separation-runs/{id}/cancel',
  summary: 'Stop the separation of a period',
  description: 'Separated calls stay. Queued and running separations are cancelled, unless a person requested them.',
  responses: { 200: runResponse('cancelled'), 404: notFoundResponse, 409: { description: 'The run has ended.' } },
} as const satisfies Operation
