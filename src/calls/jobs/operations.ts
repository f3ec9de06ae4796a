import { QUEUE_JOB_STATES, QueueJobSchema, createQueueNameSchema, createQueueSchema } from './schema.ts'
import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import * as field from '../../platform/http/field.ts'

const ownerOrKeyAccess = { tag: 'Queues', access: 'ownerOrKey' } as const
const ownerAccess = { tag: 'Queues', access: 'owner' } as const

/**
 * Creates the API operations on queues.
 * @param names the queues that exist
 */
export function createQueueOperations(names: readonly string[]) {
  const params = { name: createQueueNameSchema(names) }
  const schema = createQueueSchema(names)
  return {
    queues: listQueuesOperation(schema),
    jobs: listJobsOperation(params),
    pause: pauseQueueOperation(params, schema),
    resume: resumeQueueOperation(params, schema),
    retryFailedJobs: retryFailedJobsOperation(params),
  }
}

type QueueSchema = ReturnType<typeof createQueueSchema>
type QueueParams = { name: ReturnType<typeof createQueueNameSchema> }

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

const notFoundResponse = { description: 'No such queue.' }

const queueResponse = (schema: QueueSchema, description: string, paused: boolean) => ({
  description,
  json: schema,
  example: { ...queueExample, paused, pause: paused ? pauseExample : null },
})

const listQueuesOperation = (schema: QueueSchema) =>
  ({
    ...ownerOrKeyAccess,
    id: 'listQueues',
    method: 'get',
    path: '/v1/queues',
    summary: 'All queues with their job counts',
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
  state: Type.Optional(field.oneOf(QUEUE_JOB_STATES, 'Only jobs in this state: waiting, delayed, active or failed.')),
  retryable: Type.Boolean({
    default: false,
    description:
      'true: only the jobs that retry-failed would retry. Excludes recordings with missing or faulty audio, and ' +
      'callbacks whose event is not the latest one of the recording.',
  }),
  calls: Type.Boolean({
    default: false,
    description:
      'true: each job includes its recording and, for a callback, the receiver. Jobs whose recording was deleted ' +
      'are omitted.',
  }),
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

const listJobsOperation = (params: QueueParams) =>
  ({
    ...ownerOrKeyAccess,
    id: 'listJobs',
    method: 'get',
    path: '/v1/queues/{name}/jobs',
    summary: 'Unfinished and failed jobs of a queue',
    description:
      'Order with `state`: waiting jobs as workers claim them, delayed jobs by due time, active jobs by start, ' +
      'failed jobs newest first. Order without `state`: active jobs, then waiting and delayed ones, then failed ' +
      'ones, each by priority and creation time.',
    audit: 'queue.jobs',
    auditWhen: 'calls',
    params,
    query: jobsQuery,
    responses: {
      200: createPageResponse(QueueJobSchema, 'A page of jobs.', jobExample),
      404: notFoundResponse,
    },
  }) as const satisfies Operation

const pauseQueueOperation = (params: QueueParams, schema: QueueSchema) =>
  ({
    ...ownerAccess,
    id: 'pauseQueue',
    method: 'post',
    path: '/v1/queues/{name}/pause',
    summary: 'Pause a queue',
    description:
      'Applies to all processes and survives restarts. Only a person can then resume the queue, even if the service ' +
      'had paused it before. Running jobs continue.',
    params,
    responses: {
      200: queueResponse(schema, 'The queue is paused, also if it was paused before.', true),
      404: notFoundResponse,
    },
  }) as const satisfies Operation

const resumeQueueOperation = (params: QueueParams, schema: QueueSchema) =>
  ({
    ...ownerAccess,
    id: 'resumeQueue',
    method: 'post',
    path: '/v1/queues/{name}/resume',
    summary: 'Resume a queue',
    params,
    responses: {
      200: queueResponse(schema, 'The queue is not paused, also if it was not paused before.', false),
      404: notFoundResponse,
    },
  }) as const satisfies Operation

const retryFailedJobsOperation = (params: QueueParams) =>
  ({
    ...ownerAccess,
    id: 'retryFailedJobs',
    method: 'post',
    path: '/v1/queues/{name}/retry-failed',
    summary: 'Retry all failed jobs of a queue',
    description:
      'Attempts count from 0 again. Recordings with missing or faulty audio are skipped, because they would fail ' +
      'again. POST /v1/recordings/retry-failed retries them too. A callback keeps its delivery id. It is skipped if ' +
      'its event is not the latest one of the recording.',
    params,
    responses: {
      200: {
        description: 'The number of retried jobs.',
        json: field.object({ retried: field.integer('The number of retried jobs.') }),
        example: { retried: 3 },
      },
      404: notFoundResponse,
    },
  }) as const satisfies Operation
