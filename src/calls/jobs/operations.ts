import { JOB_STATES, JobSchema, nameOf, queueSchemaOf } from './schema.ts'
import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, pageResponse } from '../../platform/http/paging.ts'
import * as field from '../../platform/http/field.ts'

const ownerOrKey = { tag: 'Queues', access: 'ownerOrKey' } as const
const owner = { tag: 'Queues', access: 'owner' } as const

/** The operations on queues of these names. */
export function queueOperations(names: readonly string[]) {
  const params = { name: nameOf(names) }
  const schema = queueSchemaOf(names)
  return {
    queues: listQueues(schema),
    jobs: listJobs(params),
    pause: pauseQueue(params, schema),
    resume: resumeQueue(params, schema),
    retryFailedJobs: retryFailedJobs(params),
  }
}

type QueueSchema = ReturnType<typeof queueSchemaOf>
type Params = { name: ReturnType<typeof nameOf> }

const queueExample = {
  name: 'transcription',
  waiting: 12,
  delayed: 1,
  active: 2,
  failed: 3,
  paused: false,
  pause: null,
} as const

const pauseExample = { since: '2026-03-01T07:00:00.000Z', reason: null, retryAt: null }

const notThere = { description: 'No such queue.' }

const oneQueue = (schema: QueueSchema, description: string, paused: boolean) => ({
  description,
  json: schema,
  example: { ...queueExample, paused, pause: paused ? pauseExample : null },
})

const listQueues = (schema: QueueSchema) =>
  ({
    ...ownerOrKey,
    id: 'listQueues',
    method: 'get',
    path: '/v1/queues',
    summary: 'Every queue with its counts',
    responses: {
      200: {
        description: 'The queues.',
        json: field.list(schema, 'The queues.'),
        example: [queueExample, { ...queueExample, name: 'callbacks', waiting: 0, active: 0, failed: 0 }],
      },
    },
  }) as const satisfies Operation

const jobsQuery = field.object({
  ...pageParameters,
  state: Type.Optional(field.oneOf(JOB_STATES, 'Only jobs in this state: waiting, delayed, active or failed.')),
  retryable: Type.Boolean({
    default: false,
    description:
      'Only the jobs that retry-failed would retry. Excludes recordings with faulty audio, and callbacks whose event is not ' +
      'the recording’s last one.',
  }),
  calls: Type.Boolean({ default: false, description: 'Whether each job includes the names of its recording.' }),
})

const jobExample = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'delayed',
  recordingId: '01890a5d-ac96-774b-bcce-b302099a8057',
  priority: 0,
  attempts: 1,
  nextAttemptAt: '2026-03-01T07:10:30.000Z',
  startedAt: null,
  lastError: 'The recognizer ended without a result',
} as const

const listJobs = (params: Params) =>
  ({
    ...ownerOrKey,
    id: 'listJobs',
    method: 'get',
    path: '/v1/queues/{name}/jobs',
    summary: 'Unfinished and failed jobs of a queue',
    description:
      'Order: waiting jobs as they will be taken, delayed ones by due time, active ones by start, failed ones newest first. ' +
      'Without the state active, failed jobs follow the waiting ones.',
    audit: 'queue.jobs',
    auditWhen: 'calls',
    params,
    query: jobsQuery,
    responses: {
      200: pageResponse(JobSchema, 'A page of jobs.', jobExample),
      404: notThere,
    },
  }) as const satisfies Operation

const pauseQueue = (params: Params, schema: QueueSchema) =>
  ({
    ...owner,
    id: 'pauseQueue',
    method: 'post',
    path: '/v1/queues/{name}/pause',
    summary: 'Pause a queue',
    description:
      'Applies to every process and across restarts until a person resumes the queue, even if the service had already paused it. Running jobs continue.',
    params,
    responses: { 200: oneQueue(schema, 'Paused, even if it was paused before.', true), 404: notThere },
  }) as const satisfies Operation

const resumeQueue = (params: Params, schema: QueueSchema) =>
  ({
    ...owner,
    id: 'resumeQueue',
    method: 'post',
    path: '/v1/queues/{name}/resume',
    summary: 'Resume a queue',
    params,
    responses: { 200: oneQueue(schema, 'Resumed, even if it was not paused.', false), 404: notThere },
  }) as const satisfies Operation

const retryFailedJobs = (params: Params) =>
  ({
    ...owner,
    id: 'retryFailedJobs',
    method: 'post',
    path: '/v1/queues/{name}/retry-failed',
    summary: 'Retry all failed jobs of a queue',
    description:
      'Attempts count from 0 again. Recordings with faulty audio are skipped, because they would fail again; POST ' +
      '/v1/recordings/retry-failed retries those too. A callback keeps its delivery id. It is skipped if its event is not ' +
      'the recording’s last one.',
    params,
    responses: {
      200: {
        description: 'The number of retried jobs.',
        json: field.object({ retried: field.integer('The number.') }),
        example: { retried: 3 },
      },
      404: notThere,
    },
  }) as const satisfies Operation
