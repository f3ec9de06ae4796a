import { request } from 'undici'
import type { Config } from '../config.ts'
import { hmacSha256 } from '../lib/crypto.ts'
import { ForbiddenAddress, guardedAgent, linkFault } from '../lib/net-guard.ts'
import type { Delivery } from './entity.ts'
import type { Outcome } from './service.ts'

/** A receiver has this long to answer, from connecting to the end of its headers. */
const TIME_LIMIT_MS = 15_000

const RETRIED_STATUSES = new Set([408, 425, 429])

/**
 * Makes one attempt of a delivery. Only the receiver's status counts: its body is never read, so it may be of any
 * size or speed. Redirects are not followed.
 */
export async function send(
  config: Config,
  deliveryId: string,
  delivery: Pick<Delivery, 'event' | 'url' | 'body'>,
): Promise<Outcome> {
  const startedAt = performance.now()
  const ended = (outcome: Omit<Outcome, 'durationMs'>): Outcome => ({
    ...outcome,
    durationMs: Math.round(performance.now() - startedAt),
  })
  const fault = linkFault(delivery.url, config.ALLOW_PRIVATE_NETWORK_DOWNLOADS)
  if (fault) return ended({ statusCode: null, error: `the address ${fault}`, verdict: 'refused' })
  const agent = guardedAgent(config.ALLOW_PRIVATE_NETWORK_DOWNLOADS)
  try {
    const { statusCode, body } = await request(delivery.url, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      headers: headersOf(config, deliveryId, delivery.event, delivery.body!),
      body: delivery.body,
    })
    body.on('error', () => undefined) // destroying the agent breaks it, which is what we want
    return ended({ statusCode, error: null, verdict: verdictOn(statusCode) })
  } catch (error) {
    const forbidden = error instanceof ForbiddenAddress
    return ended({ statusCode: null, error: describe(error), verdict: forbidden ? 'refused' : 'retry' })
  } finally {
    await agent.destroy()
  }
}

/** The headers of one attempt: timestamp and signature are of this attempt, the delivery id is of all. */
function headersOf(config: Config, deliveryId: string, event: string, body: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': `svc/${SVC_VERSION}`,
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

/** 2xx accepts; 5xx, 408, 425 and 429 are tried again; any other answer is a final refusal. */
export function verdictOn(statusCode: number): Outcome['verdict'] {
  if (statusCode >= 200 && statusCode < 300) return 'accepted'
  return statusCode >= 500 || RETRIED_STATUSES.has(statusCode) ? 'retry' : 'refused'
}

function describe(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message
  const { code, name } = error as { code?: string; name?: string }
  return name === 'TimeoutError' ? 'no answer within 15 seconds' : `no answer (${code ?? name ?? 'network error'})`
}
