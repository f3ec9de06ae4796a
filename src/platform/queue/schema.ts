import type { Static } from 'typebox'
import { titled, time, textOrNull, timeOrNull } from '../http/schemas.ts'

export const PauseSchema = titled('Pause', 'A pause of a queue.', {
  since: time('When the pause began.'),
  reason: textOrNull('Why the service paused the queue; null if a person paused it.'),
  retryAt: timeOrNull(
    'When one job probes whether the queue can resume. A start with another configuration resumes it at once. Null if only a person can resume it.',
  ),
})
export type PauseJson = Static<typeof PauseSchema>
