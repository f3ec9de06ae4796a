import { networkError } from '../../platform/outbound/messages.ts'
import type { Core } from '../../platform/core.ts'
import { JsonTooComplex, parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openRequest, OutboundFailed, type Limits } from '../../platform/outbound/client.ts'
import { blockAutomation } from '../automation/state.ts'
import { isOfPortal, NO_ANSWER, NO_JSON, PortalError, TOO_LARGE } from './errors.ts'
import { acquire, recordAnswer, recordMethodClosed, recordTooMany, release, type Asking, type Lane } from './limiter.ts'
import { portalMessages } from './messages.ts'
import { webhookOf, withoutSecrets, type Webhook } from './webhook.ts'

export type { Asking, Lane }

/** Parameters of a method, or an object of a response. */
export type Params = Record<string, unknown>

/** A page of 50 calls takes 60 KB, a page of the longest comments 3 MB; a broken id can have megabytes too. */
const MAX_BYTES = 6 * 1024 * 1024
/** The portal works on a request for a minute at most. */
const LIMITS: Limits = { headMs: 70_000, silenceMs: 30_000, totalMs: 90_000, maxBytes: MAX_BYTES }

const TRIES_WHEN_TOO_MANY = 6

export const BATCH = 50

/** Access with the webhook for reading, which must be configured. @throws WebhookError */
export const readingAs = (core: Core, lane: Lane, signal: AbortSignal): Asking => ({
  webhook: webhookOf(core.config, 'read')!,
  lane,
  signal,
})

export interface PortalAnswer {
  result: unknown
  /** Where the next page starts. */
  next: number | undefined
  total: number | undefined
  /** When it began, by the portal's clock. */
  startedAt: Date
}

/**
 * Calls a method of the portal. A request whose response is lost is not retried, because it can have worked.
 * @throws PortalError, CrmNotOn, the signal's reason
 */
export async function callPortal(core: Core, asking: Asking, method: string, params: Params): Promise<PortalAnswer> {
  return readAnswer(method, await send(core, asking, { method, within: [], params }))
}

export interface Command {
  method: string
  params: Params
}

/**
 * Calls up to 50 methods with one request, in the order of their keys; each command fails on its own. A parameter can refer
 * to the result of another command: $result[key][field].
 * @throws PortalError of the batch as a whole, CrmNotOn, the signal's reason
 */
export async function callBatch<K extends string>(
  core: Core,
  asking: Asking,
  commands: Record<K, Command>,
): Promise<Record<K, PortalAnswer | PortalError>> {
  const keys = Object.keys(commands) as K[]
  const within = [...new Set(keys.map((key) => commands[key].method))]
  const cmd = Object.fromEntries(keys.map((key) => [key, `${commands[key].method}?${asQuery(commands[key].params)}`]))
  const body = await send(core, asking, { method: 'batch', within, params: { halt: 0, cmd } })
  const { result, startedAt } = readAnswer('batch', body)
  const parts = asObject(result)
  const [results, errors, next, total, times] = (
    ['result', 'result_error', 'result_next', 'result_total', 'result_time'] as const
  ).map((name) => asObject(parts[name])) as [Params, Params, Params, Params, Params]
  // Some portals count the time of a batch by its methods. Before the errors, because they need the reset times.
  for (const method of within) {
    const last = keys.findLast((key) => commands[key].method === method && key in times)
    const reset = last && untilReset({ time: times[last] })
    if (reset) await recordAnswer(core, asking.webhook, method, reset)
  }
  const answers = {} as Record<K, PortalAnswer | PortalError>
  for (const key of keys) {
    const { method } = commands[key]
    if (key in errors) {
      answers[key] = await recordRefusal(core, asking.webhook, asError(core, method, asObject(errors[key])))
    } else if (key in results) {
      answers[key] = { result: results[key], next: asNumber(next[key]), total: asNumber(total[key]), startedAt }
    } else answers[key] = new PortalError({ code: NO_ANSWER, method, words: portalMessages.notInBatch() })
  }
  return answers
}

/** Formats parameters for a query string as PHP reads it: filter[>ID]=5, select[0]=ID. */
function asQuery(params: Params): string {
  const parts: string[] = []
  const write = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) write(`${name}[${key}]`, inner)
      return
    }
    const text = value === null ? '' : `${value as string | number | boolean}`
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  }
  for (const [name, value] of Object.entries(params)) write(name, value)
  return parts.join('&')
}

interface Request {
  method: string
  within: string[]
  params: Params
}

/** Sends a request when it is permitted. @returns the body of a success */
async function send(core: Core, asking: Asking, request: Request): Promise<Params> {
  const { webhook } = asking
  for (let tries = 1; ; tries++) {
    const permit = await acquire(core, { ...asking, methods: [request.method, ...request.within] })
    try {
      const body = await exchange(core, asking, request)
      await recordAnswer(core, webhook, request.method, untilReset(body))
      return body
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      const refusal = await recordRefusal(core, webhook, error)
      if (error.verdict !== 'limit' || tries === TRIES_WHEN_TOO_MANY) throw refusal
    } finally {
      await release(core, permit)
    }
  }
}

/** Records what an error means for later requests. @returns the error, with the time of the next try if known */
export async function recordRefusal(core: Core, webhook: Webhook, error: PortalError): Promise<PortalError> {
  const { verdict, code, method, words } = error
  if (verdict === 'limit') await recordTooMany(core, webhook)
  // A fault of the write webhook alone does not stop reading.
  if (verdict === 'blocked' && (webhook.kind === 'read' || isOfPortal(error))) await blockAutomation(core, error)
  if (verdict !== 'operating') return error
  const until = await recordMethodClosed(core, webhook, method)
  return new PortalError({ code, method, words, until })
}

async function exchange(core: Core, { webhook, signal }: Asking, { method, params }: Request): Promise<Params> {
  let text: string
  try {
    const answer = await openRequest({
      method: 'POST',
      url: webhook.base + method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(params),
      allowPrivate: core.config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      isSecret: true,
      limits: LIMITS,
      signal,
    })
    try {
      text = Buffer.concat(await answer.body.toArray()).toString('utf8')
    } finally {
      await answer.close()
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof OutboundFailed)) throw error
    const code = error.failure.kind === 'tooLarge' ? TOO_LARGE : NO_ANSWER
    throw new PortalError({ code, method, words: inWords(error) })
  }
  const body = parse(method, text)
  // By presence: CRM methods answer with an empty code, and with status 200.
  if ('error' in body) throw asError(core, method, body)
  return body
}

/** Why there is no answer; without the address, which is a secret. */
function inWords({ failure }: OutboundFailed): Message {
  if (failure.kind === 'network') return portalMessages.unreachable({ code: networkError(failure.code) })
  if ('rule' in failure) return portalMessages.address({ rule: failure.rule })
  if (failure.kind === 'tooLarge') return portalMessages.answerTooLarge()
  return portalMessages.noAnswer()
}

function parse(method: string, text: string): Params {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    if (error instanceof JsonTooComplex)
      throw new PortalError({ code: TOO_LARGE, method, words: portalMessages.answerTooLarge() })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params
  throw new PortalError({ code: NO_JSON, method, words: portalMessages.notJson() })
}

/** Limits for the portal's error text: what we store, and what we search for our secrets. */
const LONGEST_WORDS = 300
const LONGEST_SEARCHED = 10_000

/** Parses an error of the portal, and removes our secrets, which it can echo. */
export function asError({ config }: Core, method: string, { error, error_description: words }: Params): PortalError {
  // Remove secrets before truncating: half a secret would not be found.
  const safe = (text: string) =>
    text.length > LONGEST_SEARCHED ? '' : withoutSecrets(config, text).trim().slice(0, LONGEST_WORDS)
  const code = safe(typeof error === 'string' || typeof error === 'number' ? `${error}` : '')
  const said = safe(typeof words === 'string' ? words : '')
  if (code === '' || code === '0') return new PortalError({ code, method, words: said || portalMessages.noWords() })
  return new PortalError({ code, method, words: said ? `${code}: ${said}` : portalMessages.codeAlone({ code }) })
}

function readAnswer(method: string, body: Params): PortalAnswer {
  if (!('result' in body)) throw new PortalError({ code: NO_JSON, method, words: portalMessages.noResult() })
  const start = asNumber(asObject(body.time).start)
  return {
    result: body.result,
    next: asNumber(body.next),
    total: asNumber(body.total),
    startedAt: start === undefined ? new Date() : new Date(start * 1000),
  }
}

/** Seconds until the portal forgets the time that it worked on a method, if it says so. */
function untilReset({ time }: Params): number | undefined {
  const { operating_reset_at: resetAt, finish } = asObject(time)
  const seconds = (asNumber(resetAt) ?? Number.NaN) - (asNumber(finish) ?? Number.NaN)
  return seconds > 0 && seconds <= 3600 ? seconds : undefined
}

/** Empty maps come as [] where PHP wrote them. */
export const asObject = (value: unknown): Params =>
  typeof value === 'object' && value !== null ? (value as Params) : {}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
