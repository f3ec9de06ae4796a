import { Readable } from 'node:stream'
import { request as send, type Agent, type Dispatcher } from 'undici'
import type { Message } from '../lib/messages.ts'
import { linkMessages } from './messages.ts'
import { ForbiddenAddressError, createGuardedAgent, findLinkViolation, findSecretLinkViolation } from './net-guard.ts'

/** Limits a request to another server in time and response size. */
export interface OutboundLimits {
  /** Milliseconds until the response headers of each hop. */
  headMs: number
  /** Idle timeout of the response body in milliseconds. */
  silenceMs: number
  totalMs: number
  maxBytes: number
}

/** Describes a request to a server with a URL from a user. */
export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  /** The value of ALLOW_PRIVATE_NETWORK_DOWNLOADS. */
  allowPrivate: boolean
  /** True if the URL is a secret. Plain http then reaches only private addresses. */
  isSecret?: boolean
  limits: OutboundLimits
  /** Maximum number of redirects; none by default. */
  maxRedirects?: number
  signal?: AbortSignal
}

/** Represents a response after its headers have arrived. Call close() when the body is read or not needed. */
export interface OutboundResponse {
  statusCode: number
  headers: Dispatcher.ResponseData['headers']
  /** URL of the response after redirects. */
  url: URL
  /** Fails with OutboundError. */
  body: Readable
  /** Aborts the response and closes the connection. */
  close: () => Promise<void>
}

/** Consequence of a failure: give up, retry, or pause all requests to the server. */
type FailureAction = 'permanent' | 'retry' | 'pause'

/** Explains why a request failed. We reject `link`, `address` and `redirect` ourselves; the system provides the `code` of a network error. */
export type OutboundFailure =
  | { kind: 'link' | 'address'; rule: Message }
  | { kind: 'redirect'; rule: Message }
  | { kind: 'noAnswer' | 'silent' | 'late' | 'aborted' | 'tooLarge' }
  | { kind: 'network'; code: string }

/** Signals a forbidden link, a failed request or an interrupted response. `verdict` is permanent or retry. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure
  readonly verdict: FailureAction
  constructor(failure: OutboundFailure, cause?: unknown) {
    super('rule' in failure ? failure.rule.text : 'code' in failure ? failure.code : failure.kind, { cause })
    this.failure = failure
    this.verdict = isPermanent(failure) ? 'permanent' : 'retry'
  }
}

const isPermanent = ({ kind }: OutboundFailure): boolean => ['link', 'address', 'redirect', 'tooLarge'].includes(kind)

const RETRIED_STATUSES = new Set([408, 425])

/** Returns the consequence of a response status; undefined for 2xx. */
export function classifyOutboundStatus(statusCode: number): FailureAction | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode === 429) return 'pause'
  return statusCode >= 500 || RETRIED_STATUSES.has(statusCode) ? 'retry' : 'permanent'
}

/** Sends a request and checks the address of every hop. The caller must close the response. @throws OutboundError */
export async function openOutboundRequest(request: OutboundRequest): Promise<OutboundResponse> {
  const { allowPrivate, isSecret, limits, signal: callerSignal } = request
  const agent = createGuardedAgent(allowPrivate, isSecret)
  const totalTimeout = AbortSignal.timeout(limits.totalMs)
  const signal = callerSignal ? AbortSignal.any([callerSignal, totalTimeout]) : totalTimeout
  const toError = (error: unknown) =>
    toOutboundError(error, { gone: callerSignal?.aborted === true, late: totalTimeout.aborted })
  try {
    const { answer: response, url } = await followRedirects(request, { agent, signal })
    const body = Readable.from(limitBody(response.body, limits.maxBytes, toError), { objectMode: false })
    body.on('error', () => undefined) // prevents an uncaught error if nobody reads the body; readers receive the error anyway
    return { statusCode: response.statusCode, headers: response.headers, url, body, close: () => agent.destroy() }
  } catch (error) {
    await agent.destroy()
    throw toError(error)
  }
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

interface HopOptions {
  agent: Agent
  signal: AbortSignal
}

/** Follows up to maxRedirects redirects; with 0, returns a redirect like any response. @returns the last response and its URL */
async function followRedirects(
  request: OutboundRequest,
  hop: HopOptions,
): Promise<{ answer: Dispatcher.ResponseData; url: URL }> {
  const { maxRedirects = 0 } = request
  let url = checkLink(request.url, request)
  for (let redirects = 0; ; redirects++) {
    const response = await sendRequest(url, request, hop)
    if (maxRedirects === 0 || !REDIRECT_STATUSES.has(response.statusCode)) return { answer: response, url }
    response.body.destroy()
    if (redirects === maxRedirects) throw createRedirectError(linkMessages.redirects({ limit: maxRedirects }))
    url = parseRedirect(url, response.headers.location, request)
  }
}

const createRedirectError = (rule: Message) => new OutboundError({ kind: 'redirect', rule })

function parseRedirect(from: URL, header: string | string[] | undefined, request: OutboundRequest): URL {
  const location = typeof header === 'string' ? encodeNonAscii(header) : undefined
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw createRedirectError(linkMessages.leadsNowhere())
  }
  const next = checkLink(new URL(location, from.href).href, request, (rule) => linkMessages.redirectedTo({ rule }))
  // A redirect from https to http exposes the request.
  if (from.protocol === 'https:' && next.protocol === 'http:') throw createRedirectError(linkMessages.downgrade())
  return next
}

/** Percent-encodes the original bytes, which undici decodes as Latin-1. Most servers send UTF-8, and curl does the same. */
const encodeNonAscii = (header: string): string =>
  header.replace(/[\u0080-\u00ff]/g, (byte) => encodeByte(byte.charCodeAt(0)))

const encodeByte = (byte: number): string => `%${byte.toString(16).toUpperCase()}`

function checkLink(link: string, { allowPrivate, isSecret }: OutboundRequest, wrapRule = (rule: Message) => rule): URL {
  const rule = findLinkViolation(link, allowPrivate) ?? (isSecret ? findSecretLinkViolation(new URL(link)) : undefined)
  if (rule) throw new OutboundError({ kind: 'link', rule: wrapRule(rule) })
  return new URL(link)
}

async function sendRequest(
  url: URL,
  { method, headers, body, limits }: OutboundRequest,
  { agent, signal }: HopOptions,
): Promise<Dispatcher.ResponseData> {
  const headTimeout = new AbortController()
  const timer = setTimeout(() => headTimeout.abort(new OutboundError({ kind: 'noAnswer' })), limits.headMs)
  try {
    const response = await send(url, {
      method,
      dispatcher: agent,
      signal: AbortSignal.any([signal, headTimeout.signal]),
      headers: { 'User-Agent': `svc/${SVC_VERSION}`, ...headers },
      bodyTimeout: limits.silenceMs,
      ...(body !== undefined && { body }),
    })
    response.body.on('error', () => undefined) // the body is destroyed if the response is not used
    return response
  } finally {
    clearTimeout(timer)
  }
}

async function* limitBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  toError: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of body) {
      received += chunk.length
      if (received > maxBytes) throw new OutboundError({ kind: 'tooLarge' })
      yield chunk
    }
  } catch (error) {
    throw toError(error)
  }
}

function toOutboundError(error: unknown, ended: { gone: boolean; late: boolean }): OutboundError {
  if (error instanceof OutboundError) return error
  if (ended.gone) return new OutboundError({ kind: 'aborted' }, error)
  if (ended.late) return new OutboundError({ kind: 'late' }, error)
  if (error instanceof ForbiddenAddressError) return new OutboundError({ kind: 'address', rule: error.rule })
  const { code, name } = error as { code?: string; name?: string }
  if (code === 'UND_ERR_BODY_TIMEOUT') return new OutboundError({ kind: 'silent' }, error)
  return new OutboundError({ kind: 'network', code: code ?? name ?? 'network error' }, error)
}
