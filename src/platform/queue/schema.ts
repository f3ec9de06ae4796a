import type { Static } from 'typebox'
import * as field from '../http/field.ts'

export const QueuePauseSchema = field.namedObject('Pause', 'A pause of a queue.', {
  since: field.time('When the pause began.'),
  reason: field.textOrNull('Why the service paused the queue; null if a person paused it.'),
  retryAt: field.timeOrNull(
    'When one job probes whether the queue can resume. A start with another configuration resumes it at once. Null if only a person can resume it.',
  ),
})
export type QueuePauseJson = Static<typeof QueuePauseSchema>
