import Type, { type Static } from 'typebox'

const closed = { additionalProperties: false }
const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

export const PauseSchema = Type.Object(
  {
    since: Type.String({ format: 'date-time', description: 'When the pause began.' }),
    reason: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the service paused the queue; null if a person paused it.',
    }),
    retryAt: time(
      'When one job probes whether the queue can resume. A start with another configuration resumes it at once. Null if only a person can resume it.',
    ),
  },
  { ...closed, title: 'Pause', description: 'A pause of a queue.' },
)
export type PauseJson = Static<typeof PauseSchema>
