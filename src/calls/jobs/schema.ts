import Type, { type Static } from 'typebox'
import { QueuePauseSchema } from '../../platform/queue/schema.ts'
import { RecordingSchema } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'

/** The states of a job: due, due later, running, or failed without further attempts. */
export const QUEUE_JOB_STATES = ['waiting', 'delayed', 'active', 'failed'] as const
export type QueueJobState = (typeof QUEUE_JOB_STATES)[number]

/**
 * Creates the schema of a queue name.
 * @param names the queues that exist
 */
export const createQueueNameSchema = (names: readonly string[]) => field.oneOf(names, 'The queue.')

/**
 * Creates the schema of a queue with the counts of its jobs.
 * @param names the queues that exist
 */
export const createQueueSchema = (names: readonly string[]) =>
  field.namedObject('Queue', 'A queue of background work.', {
    name: createQueueNameSchema(names),
    waiting: field.integer('Jobs that are due.'),
    delayed: field.integer('Jobs whose next attempt is scheduled for later, for example after a failed attempt.'),
    active: field.integer('Running jobs.'),
    failed: field.integer('Failed jobs, which are not retried automatically.'),
    paused: field.boolean('Whether the queue is paused.'),
    pause: field.nullable(QueuePauseSchema, 'When and why the queue was paused; null if it is not paused.'),
  })
export type QueueJson = Static<ReturnType<typeof createQueueSchema>>

export const QueueJobSchema = field.namedObject('Job', 'A unit of background work.', {
  id: field.id('The id of the job. A transcription has the id of its recording, a callback that of its delivery.'),
  state: field.oneOf(QUEUE_JOB_STATES, 'waiting, delayed, active or failed.'),
  recordingId: field.idOrNull('The recording; null if there is none.'),
  priority: field.integer('0 to 10; jobs with a higher priority run earlier.'),
  attempts: field.integer('Attempts started so far.'),
  nextAttemptAt: field.timeOrNull('When the next attempt is or was due; null for active and failed jobs.'),
  startedAt: field.timeOrNull('When the current or last attempt began; null before the first one.'),
  lastError: field.textOrNull('Why the last attempt failed; null if it did not.'),
  receiver: Type.Optional(
    field.text(
      'The host of the receiver, with the port unless it is the default one. Only for callbacks, with calls=true.',
    ),
  ),
  call: Type.Optional(
    Type.Pick(RecordingSchema, ['phoneNumber', 'managerName', 'fileName', 'durationSeconds', 'errorCode', 'progress'], {
      ...field.NO_EXTRA_PROPERTIES,
      description: 'The recording and its progress. Only with calls=true.',
    }),
  ),
})
export type QueueJobJson = Static<typeof QueueJobSchema>
