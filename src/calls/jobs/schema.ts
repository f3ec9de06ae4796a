import Type, { type Static } from 'typebox'
import { PauseSchema } from '../../platform/queue/schema.ts'
import { RecordingSchema } from '../recordings/schema.ts'

const closed = { additionalProperties: false }
const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** What a unit of work can be: due, due later, being worked on, or given up. */
export const JOB_STATES = ['waiting', 'delayed', 'active', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

export const nameOf = (names: readonly string[]) => Type.Enum([...names], { description: 'The queue.' })

export const queueSchemaOf = (names: readonly string[]) =>
  Type.Object(
    {
      name: nameOf(names),
      waiting: Type.Integer({ description: 'Jobs that are due.' }),
      delayed: Type.Integer({ description: 'Jobs in a pause after a failed attempt.' }),
      active: Type.Integer({ description: 'Jobs being worked on.' }),
      failed: Type.Integer({ description: 'Jobs that were given up.' }),
      paused: Type.Boolean({ description: 'Whether nothing new is begun.' }),
      pause: Type.Union([PauseSchema, Type.Null()], {
        description: 'When and why the queue was paused; null while it is not paused.',
      }),
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
    nextAttemptAt: time('When it is due, or since when it waits; null of an active or failed one.'),
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
