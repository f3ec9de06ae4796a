import Type, { type Static } from 'typebox'
import type { Operation } from '../http/operation.ts'
import { pageOf, pageParameters } from '../http/paging.ts'
import { RecordingSchema } from '../recordings/schema.ts'

const closed = { additionalProperties: false }
const tag = 'Queues'
const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** What a unit of work can be: due, due later, being worked on, or given up. */
export const JOB_STATES = ['waiting', 'delayed', 'active', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

const nameOf = (names: readonly string[]) => Type.Enum([...names], { description: 'The queue.' })

const queueSchemaOf = (names: readonly string[]) =>
  Type.Object(
    {
      name: nameOf(names),
      waiting: Type.Integer({ description: 'Jobs that are due.' }),
      delayed: Type.Integer({ description: 'Jobs in a pause after a failed attempt.' }),
      active: Type.Integer({ description: 'Jobs being worked on.' }),
      failed: Type.Integer({ description: 'Jobs that were given up.' }),
      paused: Type.Boolean({ description: 'Whether nothing new is begun.' }),
    },
    { ...closed, title: 'Queue', description: 'A queue of background work.' },
  )
export type QueueJson = Static<ReturnType<typeof queueSchemaOf>>

export const JobSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The job: the recording or the delivery.' }),
    state: Type.Enum([...JOB_STATES], { description: 'waiting, delayed, active or failed.' }),
    recordingId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The recording it is about; null where there is none.',
    }),
    priority: Type.Integer({ description: '0 to 10; a larger one is earlier.' }),
    attempts: Type.Integer({ description: 'Attempts begun so far.' }),
    nextAttemptAt: time('When it is due; null unless it waits.'),
    startedAt: time('When the present or last attempt began.'),
    lastError: Type.Union([Type.String(), Type.Null()], { description: 'Why the last attempt failed.' }),
    receiver: Type.Optional(
      Type.String({ description: 'Of a callback: the host, and the port if it is no usual one; with calls=true.' }),
    ),
    call: Type.Optional(
      Type.Pick(
        RecordingSchema,
        ['phoneNumber', 'managerName', 'fileName', 'durationSeconds', 'errorCode', 'progress'],
        { ...closed, description: 'What to know the recording by, and how far it is; with calls=true.' },
      ),
    ),
  },
  { ...closed, title: 'Job', description: 'A unit of background work.' },
)
export type JobJson = Static<typeof JobSchema>

/** What reasons of failures are known by; whoever knows a reason's text may know its id. */
export const listFailureReasons = {
  id: 'listFailureReasons',
  method: 'get',
  path: '/v1/failure-reasons',
  tag,
  summary: 'The ids of reasons of failures, by the MD5 of their text',
  description:
    'Reasons stand as English text with recordings, their history, callbacks, checks and jobs. Their ids and values let them ' +
    'be said in other languages. What is not known is left out.',
  access: 'scoped',
  closedToKeys: true,
  query: Type.Object(
    {
      hashes: Type.Array(Type.String({ minLength: 32, maxLength: 32 }), {
        minItems: 1,
        maxItems: 100,
        description: 'MD5 of the texts in UTF-8, as small hexadecimal digits, separated by commas.',
      }),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'What is known of them.',
      json: Type.Object(
        {
          items: Type.Array(
            Type.Object(
              {
                hash: Type.String({ description: 'The MD5 of the text.' }),
                message: Type.String({ description: 'Its id and values, written as in X-Error-Ids.' }),
              },
              { ...closed, description: 'A reason.' },
            ),
            { description: 'The reasons, in no order.' },
          ),
        },
        closed,
      ),
      example: {
        items: [{ hash: '0e6bd3ab4c3dc1d5b5d2b5f3bfb0f6f1', message: 'callbacks.answered;status=503' }],
      },
    },
  },
} as const satisfies Operation

const queueExample = { name: 'transcription', waiting: 12, delayed: 1, active: 2, failed: 3, paused: false } as const

const notThere = { description: 'No such queue.' }

/** The operations on queues of these names. */
export function queueOperations(names: readonly string[]) {
  const params = { name: nameOf(names) }
  const QueueSchema = queueSchemaOf(names)

  const oneQueue = (description: string, paused: boolean) => ({
    description,
    json: QueueSchema,
    example: { ...queueExample, paused },
  })

  const queues = {
    id: 'listQueues',
    method: 'get',
    path: '/v1/queues',
    tag,
    summary: 'Every queue with its counts',
    access: 'ownerOrKey',
    responses: {
      200: {
        description: 'The queues.',
        json: Type.Array(QueueSchema, { description: 'The queues.' }),
        example: [queueExample, { name: 'callbacks', waiting: 0, delayed: 2, active: 0, failed: 0, paused: false }],
      },
    },
  } as const satisfies Operation

  const jobs = {
    id: 'listJobs',
    method: 'get',
    path: '/v1/queues/{name}/jobs',
    tag,
    summary: 'The jobs of a queue that have not ended well',
    description:
      'Waiting jobs stand in the order in which they will be taken, delayed ones by the time they are due, active ones ' +
      'by their start, failed ones newest first; without a state active, waiting and failed ones follow each other.',
    access: 'ownerOrKey',
    audit: 'queue.jobs',
    auditWhen: 'calls',
    params,
    query: Type.Object(
      {
        ...pageParameters,
        state: Type.Optional(
          Type.Enum([...JOB_STATES], { description: 'Only those in this state: waiting, delayed, active or failed.' }),
        ),
        retryable: Type.Boolean({
          default: false,
          description:
            'Only those that retry-failed would try again: no recording with a fault of its audio, no callback that tells ' +
            'of an end which is not the recording’s last one any more.',
        }),
        calls: Type.Boolean({ default: false, description: 'Whether each job carries what to know its recording by.' }),
      },
      closed,
    ),
    responses: {
      200: {
        description: 'A page of jobs.',
        json: pageOf(JobSchema, 'A page of jobs.'),
        example: {
          items: [
            {
              id: '01890a5d-ac96-774b-bcce-b302099a8057',
              state: 'delayed',
              recordingId: '01890a5d-ac96-774b-bcce-b302099a8057',
              priority: 0,
              attempts: 1,
              nextAttemptAt: '2026-03-01T07:10:30.000Z',
              startedAt: null,
              lastError: 'The recognizer ended without a result',
            },
          ],
          total: 1,
          page: 1,
          pageSize: 25,
        },
      },
      404: notThere,
    },
  } as const satisfies Operation

  const pause = {
    id: 'pauseQueue',
    method: 'post',
    path: '/v1/queues/{name}/pause',
    tag,
    summary: 'Begin nothing new in a queue',
    description: 'Holds in every process and across restarts until resumed. What runs goes on.',
    access: 'owner',
    params,
    responses: { 200: oneQueue('Paused, also where it was already.', true), 404: notThere },
  } as const satisfies Operation

  const resume = {
    id: 'resumeQueue',
    method: 'post',
    path: '/v1/queues/{name}/resume',
    tag,
    summary: 'Go on with a paused queue',
    access: 'owner',
    params,
    responses: { 200: oneQueue('Going on, also where it was not paused.', false), 404: notThere },
  } as const satisfies Operation

  const retryFailedJobs = {
    id: 'retryFailedJobs',
    method: 'post',
    path: '/v1/queues/{name}/retry-failed',
    tag,
    summary: 'Try again everything that a queue gave up',
    description:
      'Attempts count from 0 again. A recording with a fault of its audio is left alone, for it would fail again; ' +
      'POST /v1/recordings/retry-failed takes those too. A callback keeps its delivery id; one that tells of an end which is not the ' +
      'recording’s last one any more is left alone.',
    access: 'owner',
    params,
    responses: {
      200: {
        description: 'How many are due again.',
        json: Type.Object({ retried: Type.Integer({ description: 'How many.' }) }, closed),
        example: { retried: 3 },
      },
      404: notThere,
    },
  } as const satisfies Operation

  return { queues, jobs, pause, resume, retryFailedJobs }
}
