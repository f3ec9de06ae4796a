import { translateNetworkError } from '../../platform/outbound/messages.ts'
import type { Core } from '../../platform/core.ts'
import { JsonTooComplexError, parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openOutboundRequest, OutboundError, type OutboundLimits } from '../../platform/outbound/client.ts'
import { blockCrmAutomation } from '../automation/state.ts'
import {
  isPortalWideBlock,
  PORTAL_NO_RESPONSE_CODE,
  PORTAL_INVALID_JSON_CODE,
  PortalError,
  PORTAL_RESPONSE_TOO_LARGE_CODE,
} from './errors.ts'
import {
  acquirePortalPermit,
  recordPortalResponse,
  recordPortalMethodClosed,
  recordPortalTooManyRequests,
  releasePortalPermit,
  type PortalAccess,
  type PortalLane,
} from './limiter.ts'
import { portalMessages } from './messages.ts'
import { parsePortalWebhook, redactPortalSecrets, type PortalWebhook } from './webhook.ts'

export type { PortalAccess, PortalLane as Lane }

/** Parameters of a method, or an object in a response. */
export type PortalObject = Record<string, unknown>

/** A page of 50 calls has about 60 KB, but a page of 50 long comments can have several megabytes. */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024
/** We assume that the portal works on a request for at most one minute. */
const REQUEST_LIMITS: OutboundLimits = {
  headMs: 70_000,
  silenceMs: 30_000,
  totalMs: 90_000,
  maxBytes: MAX_RESPONSE_BYTES,
}

const MAX_RATE_LIMIT_TRIES = 6

export const MAX_PORTAL_BATCH_COMMANDS = 50

/**
 * Creates the access to the portal with the webhook for reading, which must be set.
 * @throws PortalWebhookError if its address is invalid
 */
export const createPortalReadAccess = (core: Core, lane: PortalLane, signal: AbortSignal): PortalAccess => ({
  webhook: parsePortalWebhook(core.config, 'read')!,
  lane,
  signal,
})

/** The response of the portal to one method. Only lists have `next` and `total`. */
export interface PortalResponse {
  result: unknown
  /** The offset of the next page, if there is one. */
  next: number | undefined
  total: number | undefined
  /** When the portal began to process the request, by the clock of the portal; by our clock if the response has no time. */
  startedAt: Date
}

/**
 * Calls a method of the portal. It retries if the portal reports too many requests, but not after a lost response, because
 * the request can have succeeded.
 * @throws PortalError, CrmAutomationOffError, the reason of the signal
 */
export async function callPortalMethod(
  core: Core,
  access: PortalAccess,
  method: string,
  params: PortalObject,
): Promise<PortalResponse> {
  return parsePortalResponse(method, await sendWithRetries(core, access, { method, batchMethods: [], params }))
}

/** A method and its parameters, as one of up to 50 commands of a batch. */
export interface PortalBatchCommand {
  method: string
  params: PortalObject
}

/**
 * Calls up to 50 methods with one request, in the order of their keys. Errors of single commands are in the result.
 * A parameter can refer to the result of an earlier command: $result[key][field].
 * @throws PortalError of the whole batch, CrmAutomationOffError, the reason of the signal
 */
export async function callPortalBatch<K extends string>(
  core: Core,
  access: PortalAccess,
  commands: Record<K, PortalBatchCommand>,
): Promise<Record<K, PortalResponse | PortalError>> {
  const keys = Object.keys(commands) as K[]
  const batchMethods = [...new Set(keys.map((key) => commands[key].method))]
  const cmd = Object.fromEntries(
    keys.map((key) => [key, `${commands[key].method}?${formatQuery(commands[key].params)}`]),
  )
  const body = await sendWithRetries(core, access, { method: 'batch', batchMethods, params: { halt: 0, cmd } })
  const { result, startedAt } = parsePortalResponse('batch', body)
  const parts = toPortalObject(result)
  const [results, errors, next, total, times] = (
    ['result', 'result_error', 'result_next', 'result_total', 'result_time'] as const
  ).map((name) => toPortalObject(parts[name])) as [PortalObject, PortalObject, PortalObject, PortalObject, PortalObject]
  // Some portals count the time of a batch by method. Record the reset times first, because recordPortalError() uses them.
  for (const method of batchMethods) {
    const last = keys.findLast((key) => commands[key].method === method && key in times)
    const reset = last && parseResetSeconds({ time: times[last] })
    if (reset) await recordPortalResponse(core, access.webhook, method, reset)
  }
  const responses = {} as Record<K, PortalResponse | PortalError>
  for (const key of keys) {
    const { method } = commands[key]
    if (key in errors) {
      responses[key] = await recordPortalError(
        core,
        access.webhook,
        parsePortalError(core, method, toPortalObject(errors[key])),
      )
    } else if (key in results) {
      responses[key] = { result: results[key], next: toNumber(next[key]), total: toNumber(total[key]), startedAt }
    } else
      responses[key] = new PortalError({ code: PORTAL_NO_RESPONSE_CODE, method, words: portalMessages.notInBatch() })
  }
  return responses
}

/** Formats parameters as a URL-encoded query string for PHP. Decoded, it looks like filter[>ID]=5&select[0]=ID. */
function formatQuery(params: PortalObject): string {
  const parts: string[] = []
  const appendParameter = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) appendParameter(`${name}[${key}]`, inner)
      return
    }
    const text = value === null ? '' : `${value as string | number | boolean}`
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  }
  for (const [name, value] of Object.entries(params)) appendParameter(name, value)
  return parts.join('&')
}

interface PortalRequest {
  method: string
  batchMethods: string[]
  params: PortalObject
}

/**
 * Sends a request as soon as the limiter permits it. Only errors with the verdict `limit` are retried.
 * @returns the body of a success
 */
async function sendWithRetries(core: Core, access: PortalAccess, request: PortalRequest): Promise<PortalObject> {
  const { webhook } = access
  for (let tries = 1; ; tries++) {
    const permit = await acquirePortalPermit(core, { ...access, methods: [request.method, ...request.batchMethods] })
    try {
      const body = await sendOnce(core, access, request)
      await recordPortalResponse(core, webhook, request.method, parseResetSeconds(body))
      return body
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      const portalError = await recordPortalError(core, webhook, error)
      if (error.verdict !== 'limit' || tries === MAX_RATE_LIMIT_TRIES) throw portalError
    } finally {
      await releasePortalPermit(core, permit)
    }
  }
}

/**
 * Records the consequence of an error for later requests.
 * @returns the error; if the portal closed the method, with the time when it opens again
 */
export async function recordPortalError(core: Core, webhook: PortalWebhook, error: PortalError): Promise<PortalError> {
  const { verdict, code, method, words } = error
  if (verdict === 'limit') await recordPortalTooManyRequests(core, webhook)
  // An error of the write webhook alone must not stop reading.
  if (verdict === 'blocked' && (webhook.kind === 'read' || isPortalWideBlock(error)))
    await blockCrmAutomation(core, error)
  if (verdict !== 'operating') return error
  const until = await recordPortalMethodClosed(core, webhook, method)
  return new PortalError({ code, method, words, until })
}

async function sendOnce(
  core: Core,
  { webhook, signal }: PortalAccess,
  { method, params }: PortalRequest,
): Promise<PortalObject> {
  let text: string
  try {
    const response = await openOutboundRequest({
      method: 'POST',
      url: webhook.base + method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(params),
      allowPrivate: core.config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      isSecret: true,
      limits: REQUEST_LIMITS,
      signal,
    })
    try {
      text = Buffer.concat(await response.body.toArray()).toString('utf8')
    } finally {
      await response.close()
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof OutboundError)) throw error
    const code = error.failure.kind === 'tooLarge' ? PORTAL_RESPONSE_TOO_LARGE_CODE : PORTAL_NO_RESPONSE_CODE
    throw new PortalError({ code, method, words: formatFailure(error) })
  }
  const body = parseBody(method, text)
  // Test for the property, because CRM methods can return an empty error code with status 200.
  if ('error' in body) throw parsePortalError(core, method, body)
  return body
}

/** Describes a failed request without its address, which contains a secret. */
function formatFailure({ failure }: OutboundError): Message {
  if (failure.kind === 'network') return portalMessages.unreachable({ code: translateNetworkError(failure.code) })
  if ('rule' in failure) return portalMessages.address({ rule: failure.rule })
  if (failure.kind === 'tooLarge') return portalMessages.answerTooLarge()
  return portalMessages.noAnswer()
}

function parseBody(method: string, text: string): PortalObject {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    if (error instanceof JsonTooComplexError)
      throw new PortalError({ code: PORTAL_RESPONSE_TOO_LARGE_CODE, method, words: portalMessages.answerTooLarge() })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PortalObject
  throw new PortalError({ code: PORTAL_INVALID_JSON_CODE, method, words: portalMessages.notJson() })
}

/** In characters: error texts of the portal are truncated to the first limit, and dropped above the second. */
const MAX_ERROR_LENGTH = 300
const MAX_SEARCHED_LENGTH = 10_000

/** Parses an error response and redacts our secrets, which the portal can echo. */
export function parsePortalError(
  { config }: Core,
  method: string,
  { error, error_description: words }: PortalObject,
): PortalError {
  // Redact before truncating, because half a secret would not be found.
  const sanitize = (text: string) =>
    text.length > MAX_SEARCHED_LENGTH ? '' : redactPortalSecrets(config, text).trim().slice(0, MAX_ERROR_LENGTH)
  const code = sanitize(typeof error === 'string' || typeof error === 'number' ? `${error}` : '')
  const description = sanitize(typeof words === 'string' ? words : '')
  if (code === '' || code === '0')
    return new PortalError({ code, method, words: description || portalMessages.noWords() })
  return new PortalError({
    code,
    method,
    words: description ? `${code}: ${description}` : portalMessages.codeAlone({ code }),
  })
}

function parsePortalResponse(method: string, body: PortalObject): PortalResponse {
  if (!('result' in body))
    throw new PortalError({ code: PORTAL_INVALID_JSON_CODE, method, words: portalMessages.noResult() })
  const start = toNumber(toPortalObject(body.time).start)
  return {
    result: body.result,
    next: toNumber(body.next),
    total: toNumber(body.total),
    startedAt: start === undefined ? new Date() : new Date(start * 1000),
  }
}

/** Returns the seconds until the portal resets the operating time of a method; undefined without a value of at most an hour. */
function parseResetSeconds({ time }: PortalObject): number | undefined {
  const { operating_reset_at: resetAt, finish } = toPortalObject(time)
  const seconds = (toNumber(resetAt) ?? Number.NaN) - (toNumber(finish) ?? Number.NaN)
  return seconds > 0 && seconds <= 3600 ? seconds : undefined
}

/** Returns an object or array unchanged, and an empty object for other values. PHP writes an empty map as []. */
export const toPortalObject = (value: unknown): PortalObject =>
  typeof value === 'object' && value !== null ? (value as PortalObject) : {}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
