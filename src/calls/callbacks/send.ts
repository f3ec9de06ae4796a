import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { persistently } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/lib/crypto.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openRequest, OutboundFailed, verdictOn, type Failure } from '../../platform/outbound/client.ts'
import { ClaimLost, type Job } from '../../platform/queue/queue.ts'
import { callbackMessages } from './messages.ts'
import { readClaimed, type ClaimedDelivery, type Outcome } from './service.ts'

/** A receiver has this long to answer, from connecting to the end of its headers; its body is never read. */
const TIME_LIMIT_MS = 15_000
const LIMITS = { headMs: TIME_LIMIT_MS, silenceMs: TIME_LIMIT_MS, totalMs: TIME_LIMIT_MS, maxBytes: 0 }

/** A recording that failed and was retried may still have a delivery of its failure that waits: it must not be told. */
const NOT_SENT: Outcome = {
  statusCode: null,
  error: callbackMessages.superseded(),
  durationMs: 0,
  verdict: 'refused',
}

/** Sends a claimed delivery. It is not aborted by a stop: whether a receiver has it could not be told then. */
export async function deliver(core: Core, job: Job): Promise<Outcome> {
  const delivery = await persistently(() => readClaimed(core, job))
  if (!delivery) throw new ClaimLost()
  return delivery.isSuperseded ? NOT_SENT : send(core, job.id, delivery)
}

/**
 * Makes one attempt of a delivery. Only the receiver's status counts, so its body may be of any size or speed.
 * Redirects are not followed.
 */
async function send({ config, log }: Core, deliveryId: string, delivery: ClaimedDelivery): Promise<Outcome> {
  const startedAt = performance.now()
  const ended = (outcome: Omit<Outcome, 'durationMs'>): Outcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const answer = await openRequest({
      purpose: 'callback',
      method: 'POST',
      url: delivery.url,
      headers: headersOf(config, deliveryId, delivery.event, delivery.body!),
      body: delivery.body!,
      allowPrivate: config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: LIMITS,
      ledger: (entry) => log.debug(entry, 'sent'),
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

/** Receivers have nothing to do with each other: one that asks for a pause gets that of its own next attempt. */
function outcomeOf(statusCode: number): Outcome['verdict'] {
  const verdict = verdictOn(statusCode)
  return verdict === undefined ? 'accepted' : verdict === 'permanent' ? 'refused' : 'retry'
}

/** The headers of one attempt: timestamp and signature are of this attempt, the delivery id is of all. */
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
      return callbackMessages.network({ code: failure.code })
    default:
      return callbackMessages.noAnswer({ seconds: TIME_LIMIT_MS / 1000 })
  }
}
