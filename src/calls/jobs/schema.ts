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
    delayed: field.integer('Jobs that wait for a retry after a failed attempt.'),
    active: field.integer('Running jobs.'),
    failed: field.integer('Failed jobs.'),
    paused: field.boolean('Whether the queue is paused.'),
    pause: field.nullable(QueuePauseSchema, 'When and why the queue was paused; null if it is not paused.'),
  })
export type QueueJson = Static<ReturnType<typeof createQueueSchema>>

export const QueueJobSchema = field.namedObject('Job', 'A unit of background work.', {
  id: field.id('The job: the recording or the delivery.'),
  state: field.oneOf(QUEUE_JOB_STATES, 'waiting, delayed, active or failed.'),
  recordingId: field.idOrNull('The recording; null if there is none.'),
  priority: field.integer('0 to 10; a larger one is earlier.'),
  attempts: field.integer('Attempts begun so far.'),
  nextAttemptAt: field.timeOrNull('When it is due, or since when it waits; null if active or failed.'),
  startedAt: field.timeOrNull('When the current or last attempt began.'),
  lastError: field.textOrNull('Why the last attempt failed.'),
  receiver: Type.Optional(field.text('For a callback: the host, and an unusual port; with calls=true.')),
  call: Type.Optional(
    Type.Pick(RecordingSchema, ['phoneNumber', 'managerName', 'fileName', 'durationSeconds', 'errorCode', 'progress'], {
      ...field.NO_EXTRA_PROPERTIES,
      description: 'The recording and its progress; with calls=true.',
    }),
  ),
})
export type QueueJobJson = Static<typeof QueueJobSchema>
