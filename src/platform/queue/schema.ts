import type { Static } from 'typebox'
import * as field from '../http/field.ts'

export const QueuePauseSchema = field.namedObject('Pause', 'A pause of a queue.', {
  since: field.time('When the pause began.'),
  reason: field.textOrNull('Why the service paused the queue; null if a person paused it.'),
  retryAt: field.timeOrNull(
    'When the service tries one job to find out whether the queue can resume; null if only a person can resume ' +
      'it. A start with another configuration resumes the queue at once.',
  ),
})
export type QueuePauseJson = Static<typeof QueuePauseSchema>
