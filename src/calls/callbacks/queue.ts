import { translateNetworkError } from '../../platform/outbound/messages.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { retryWhileDatabaseDown } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/lib/crypto.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openRequest, OutboundError, classifyStatus, type OutboundFailure } from '../../platform/outbound/client.ts'
import { ClaimLostError, type Job, type Queue } from '../../platform/queue/queue.ts'
import { callbackMessages } from './messages.ts'
import {
  isLatestEventSql,
  findClaimedDelivery,
  recordFailedDelivery,
  recordDeliveryOutcome,
  retryFailedDeliveries,
  type ClaimedDelivery,
  type DeliveryOutcome,
} from './service.ts'

/** Deliveries wait for receivers, not for this machine. */
const CONCURRENCY = 16

/** Deliveries to one receiver at once: one that does not respond must not hold up the others. */
const MAX_PER_HOST = 4

/** After 0, 30 s, 1, 2, 4 and 8 minutes, if the first pause is 30 s. */
const MAX_ATTEMPTS = 6

/** Notifications of receivers. A delivery whose worker died can have arrived: it is sent again under its id. */
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
  retryable: `EXISTS (SELECT FROM recordings r WHERE r.id = j.recording_id AND ${isLatestEventSql('j')})`,
  retryFailed: retryFailedDeliveries,
}

/** From connecting to the end of the headers of the response; its body is never read. */
const RESPONSE_TIMEOUT_MS = 15_000
const REQUEST_LIMITS = {
  headMs: RESPONSE_TIMEOUT_MS,
  silenceMs: RESPONSE_TIMEOUT_MS,
  totalMs: RESPONSE_TIMEOUT_MS,
  maxBytes: 0,
}

/** The recording was retried or cancelled after the event of this delivery. */
const SUPERSEDED_OUTCOME: DeliveryOutcome = {
  statusCode: null,
  error: callbackMessages.superseded(),
  durationMs: 0,
  verdict: 'refused',
}

/** Sends a claimed delivery. A stop does not abort it, because the receiver can have it already. */
async function runDelivery(core: Core, job: Job): Promise<DeliveryOutcome> {
  const delivery = await retryWhileDatabaseDown(() => findClaimedDelivery(core, job))
  if (!delivery) throw new ClaimLostError()
  return delivery.isSuperseded ? SUPERSEDED_OUTCOME : sendDelivery(core, job.id, delivery)
}

/** Makes one attempt. Only the status of the response counts, and redirects are not followed. */
async function sendDelivery({ config }: Core, deliveryId: string, delivery: ClaimedDelivery): Promise<DeliveryOutcome> {
  const startedAt = performance.now()
  const createOutcome = (outcome: Omit<DeliveryOutcome, 'durationMs'>): DeliveryOutcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await openRequest({
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
  const verdict = classifyStatus(statusCode)
  return verdict === undefined ? 'accepted' : verdict === 'permanent' ? 'refused' : 'retry'
}

/** Timestamp and signature belong to this attempt, the delivery id to all of them. */
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
