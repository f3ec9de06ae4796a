import { translateNetworkError } from '../../platform/outbound/messages.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { retryWhileDatabaseDown } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/lib/crypto.ts'
import type { Message } from '../../platform/lib/messages.ts'
import {
  openOutboundRequest,
  OutboundError,
  classifyOutboundStatus,
  type OutboundFailure,
} from '../../platform/outbound/client.ts'
import { JobClaimLostError, type Job, type Queue } from '../../platform/queue/queue.ts'
import { callbackMessages } from './messages.ts'
import {
  isDeliveryRetryableSql,
  findClaimedDelivery,
  recordFailedDelivery,
  recordDeliveryOutcome,
  retryFailedDeliveries,
  type ClaimedDelivery,
  type DeliveryOutcome,
} from './service.ts'

/** Deliveries mostly wait for receivers, so many of them can run in parallel. */
const CONCURRENCY = 16

/** Limits the parallel deliveries to one receiver, so that a slow receiver does not block the others. */
const MAX_PER_HOST = 4

/** With a first pause of 30 s, the pauses before the six attempts are 0, 30 s and 1, 2, 4 and 8 minutes. */
const MAX_ATTEMPTS = 6

/**
 * The queue of callbacks to receivers. If a worker dies, the receiver can already have the callback. The retry then sends the
 * same delivery id again.
 */
export const callbacksQueue: Queue<DeliveryOutcome> = {
  name: 'callbacks',
  table: 'deliveries',
  recordingColumn: 'recording_id',
  receiverColumn: 'host',
  order: 'next_attempt_at, id',
  blockedWhen: `host IN (SELECT host FROM deliveries WHERE status = 'PROCESSING' GROUP BY host HAVING count(*) >= ${MAX_PER_HOST})`,
  concurrency: () => CONCURRENCY,
  attempts: () => MAX_ATTEMPTS,
  firstPauseSeconds: (config) => config.CALLBACK_RETRY_DELAY_SECONDS,
  leaseSeconds: 30,
  messages: {
    workerDied: callbackMessages.workerDied(),
    broken: callbackMessages.broken(),
  },
  run: runDelivery,
  store: recordDeliveryOutcome,
  fail: recordFailedDelivery,
  retryable: `EXISTS (SELECT FROM recordings r WHERE r.id = j.recording_id AND ${isDeliveryRetryableSql('j')})`,
  retryFailed: retryFailedDeliveries,
}

/** From connecting to the end of the response headers. The response body is never read. */
const RESPONSE_TIMEOUT_MS = 15_000
const REQUEST_LIMITS = {
  headMs: RESPONSE_TIMEOUT_MS,
  silenceMs: RESPONSE_TIMEOUT_MS,
  totalMs: RESPONSE_TIMEOUT_MS,
  maxBytes: 0,
}

/** The outcome if the recording changed its status after the event, or has a later delivery. */
const SUPERSEDED_OUTCOME: DeliveryOutcome = {
  statusCode: null,
  error: callbackMessages.superseded(),
  durationMs: 0,
  verdict: 'refused',
}

/** Sends a claimed delivery. A shutdown does not abort the request, because the receiver can already have the callback. */
async function runDelivery(core: Core, job: Job): Promise<DeliveryOutcome> {
  const delivery = await retryWhileDatabaseDown(() => findClaimedDelivery(core, job))
  if (!delivery) throw new JobClaimLostError()
  return delivery.isSuperseded ? SUPERSEDED_OUTCOME : sendDelivery(core, job.id, delivery)
}

/** Sends one request. Only the response status counts, and redirects are not followed. */
async function sendDelivery({ config }: Core, deliveryId: string, delivery: ClaimedDelivery): Promise<DeliveryOutcome> {
  const startedAt = performance.now()
  const createOutcome = (outcome: Omit<DeliveryOutcome, 'durationMs'>): DeliveryOutcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await openOutboundRequest({
      method: 'POST',
      url: delivery.url,
      headers: createHeaders(config, deliveryId, delivery.event, delivery.body!),
      body: delivery.body!,
      allowPrivate: config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: REQUEST_LIMITS,
    })
    const outcome = createOutcome({
      statusCode: response.statusCode,
      error: null,
      verdict: toDeliveryVerdict(response.statusCode),
    })
    await response.close()
    return outcome
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const verdict = error.verdict === 'permanent' ? 'refused' : 'retry'
    return createOutcome({ statusCode: null, error: formatFailure(error.failure), verdict })
  }
}

function toDeliveryVerdict(statusCode: number): DeliveryOutcome['verdict'] {
  const verdict = classifyOutboundStatus(statusCode)
  return verdict === undefined ? 'accepted' : verdict === 'permanent' ? 'refused' : 'retry'
}

/** The timestamp and the signature are new in each attempt. The delivery id stays the same. */
function createHeaders(config: Config, deliveryId: string, event: string, body: string): Record<string, string> {
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

function formatFailure(failure: OutboundFailure): Message {
  switch (failure.kind) {
    case 'link':
      return callbackMessages.address({ rule: failure.rule })
    case 'address':
      return failure.rule
    case 'network':
      return callbackMessages.network({ code: translateNetworkError(failure.code) })
    default:
      return callbackMessages.noAnswer({ seconds: RESPONSE_TIMEOUT_MS / 1000 })
  }
}
