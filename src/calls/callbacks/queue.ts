import { networkError } from '../../platform/outbound/messages.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { retryWhileDatabaseDown } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/lib/crypto.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openRequest, OutboundFailed, verdictOn, type Failure } from '../../platform/outbound/client.ts'
import { ClaimLost, type Job, type Queue } from '../../platform/queue/queue.ts'
import { callbackMessages } from './messages.ts'
import {
  IS_LAST_END,
  readClaimed,
  recordFailedDelivery,
  recordOutcome,
  retryFailedDeliveries,
  type ClaimedDelivery,
  type Outcome,
} from './service.ts'

/** Deliveries wait for receivers, not for this machine. */
const CONCURRENCY = 16

/** Deliveries to one receiver at once: one that does not respond must not hold up the others. */
const PER_HOST = 4

/** After 0, 30 s, 1, 2, 4 and 8 minutes, if the first pause is 30 s. */
const ATTEMPTS = 6

/** Notifications of receivers. A delivery whose worker died can have arrived: it is sent again under its id. */
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

/** From connecting to the end of the headers of the response; its body is never read. */
const TIME_LIMIT_MS = 15_000
const LIMITS = { headMs: TIME_LIMIT_MS, silenceMs: TIME_LIMIT_MS, totalMs: TIME_LIMIT_MS, maxBytes: 0 }

/** The recording was retried or cancelled after the event of this delivery. */
const NOT_SENT: Outcome = {
  statusCode: null,
  error: callbackMessages.superseded(),
  durationMs: 0,
  verdict: 'refused',
}

/** Sends a claimed delivery. A stop does not abort it, because the receiver can have it already. */
async function deliver(core: Core, job: Job): Promise<Outcome> {
  const delivery = await retryWhileDatabaseDown(() => readClaimed(core, job))
  if (!delivery) throw new ClaimLost()
  return delivery.isSuperseded ? NOT_SENT : send(core, job.id, delivery)
}

/** Makes one attempt. Only the status of the response counts, and redirects are not followed. */
async function send({ config }: Core, deliveryId: string, delivery: ClaimedDelivery): Promise<Outcome> {
  const startedAt = performance.now()
  const ended = (outcome: Omit<Outcome, 'durationMs'>): Outcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const answer = await openRequest({
      method: 'POST',
      url: delivery.url,
      headers: headersOf(config, deliveryId, delivery.event, delivery.body!),
      body: delivery.body!,
      allowPrivate: config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: LIMITS,
    })
    const outcome = ended({ statusCode: answer.statusCode, error: null, verdict: outcomeOf(answer.statusCode) })
    await answer.close()
    return outcome
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error
    const verdict = error.verdict === 'permanent' ? 'refused' : 'retry'
    return ended({ statusCode: null, error: reasonOf(error.failure), verdict })
  }
}

function outcomeOf(statusCode: number): Outcome['verdict'] {
  const verdict = verdictOn(statusCode)
  return verdict === undefined ? 'accepted' : verdict === 'permanent' ? 'refused' : 'retry'
}

/** Timestamp and signature belong to this attempt, the delivery id to all of them. */
function headersOf(config: Config, deliveryId: string, event: string, body: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-SVC-Event': event,
    'X-SVC-Delivery': deliveryId,
  }
  if (config.CALLBACK_SIGNING_SECRET !== undefined) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    headers['X-SVC-Timestamp'] = timestamp
    headers['X-SVC-Signature'] =
      `sha256=${hmacSha256(config.CALLBACK_SIGNING_SECRET, `${timestamp}.${body}`).digest('hex')}`
  }
  return headers
}

function reasonOf(failure: Failure): Message {
  switch (failure.kind) {
    case 'link':
      return callbackMessages.address({ rule: failure.rule })
    case 'address':
      return failure.rule
    case 'network':
      return callbackMessages.network({ code: networkError(failure.code) })
    default:
      return callbackMessages.noAnswer({ seconds: TIME_LIMIT_MS / 1000 })
  }
}
