import type { Queue } from '../../platform/queue/queue.ts'
import { callbackMessages } from './messages.ts'
import { deliver } from './send.ts'
import { IS_LAST_END, recordFailedDelivery, recordOutcome, retryFailedDeliveries, type Outcome } from './service.ts'

/** Deliveries wait for receivers, not for this machine, so several go at once. */
const CONCURRENCY = 16

/** Deliveries to one receiver at once. One that does not answer must not keep the others' waiting. */
const PER_HOST = 4

/** Attempts in all: with the first pause of 30 s they are made after 0, 30 s, 1, 2, 4 and 8 minutes. */
const ATTEMPTS = 6

/** Notifications of receivers. A delivery whose worker died may or may not have arrived: it is sent again under its id. */
export const callbacksQueue: Queue<Outcome> = {
  name: 'callbacks',
  table: 'deliveries',
  recordingColumn: 'recording_id',
  receiverColumn: 'host',
  order: 'next_attempt_at, id',
  blockedWhen: `host IN (SELECT host FROM deliveries WHERE status = 'PROCESSING' GROUP BY host HAVING count(*) >= ${PER_HOST})`,
  concurrency: () => CONCURRENCY,
  attempts: () => ATTEMPTS,
  firstPauseSeconds: (config) => config.CALLBACK_RETRY_DELAY_SECONDS,
  leaseSeconds: 30,
  messages: {
    workerDied: callbackMessages.workerDied(),
    broken: callbackMessages.broken(),
  },
  run: deliver,
  store: recordOutcome,
  fail: recordFailedDelivery,
  retryable: `EXISTS (SELECT FROM recordings r WHERE r.id = j.recording_id AND ${IS_LAST_END('j')})`,
  retryFailed: retryFailedDeliveries,
}
