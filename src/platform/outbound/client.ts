import { Readable } from 'node:stream'
import { request as send, type Agent, type Dispatcher } from 'undici'
import type { Message } from '../lib/messages.ts'
import { linkMessages } from './messages.ts'
import { ForbiddenAddress, guardedAgent, linkViolation, secretViolation } from './net-guard.ts'

/** The limits of a request to another server. */
export interface Limits {
  /** The time limit of each hop until its response begins, in milliseconds. */
  headMs: number
  /** The idle timeout of the response's body. */
  silenceMs: number
  totalMs: number
  maxBytes: number
}

/** A request to a server whose address comes from a user. */
export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  /** ALLOW_PRIVATE_NETWORK_DOWNLOADS */
  allowPrivate: boolean
  /** Whether the link is a secret, which http can carry to private addresses alone. */
  isSecret?: boolean
  limits: Limits
  /** The maximum number of redirects; none by default. */
  maxRedirects?: number
  signal?: AbortSignal
}

/** A response whose headers have arrived. */
export interface OutboundAnswer {
  statusCode: number
  headers: Dispatcher.ResponseData['headers']
  /** Its address, after redirects. */
  url: URL
  /** Breaks with OutboundFailed. */
  body: Readable
  /** Ends it at any point. */
  close: () => Promise<void>
}

/** The consequence of a failure: give up, retry, or pause all requests to this server. */
type Verdict = 'permanent' | 'retry' | 'pause'

/** Why a request failed. `link` and `address` are our rejections; the `code` of a network error comes from the system. */
export type Failure =
  | { kind: 'link' | 'address'; rule: Message }
  | { kind: 'redirect'; rule: Message }
  | { kind: 'noAnswer' | 'silent' | 'late' | 'aborted' | 'tooLarge' }
  | { kind: 'network'; code: string }

/** A request got no response, or its response was interrupted. */
export class OutboundFailed extends Error {
  readonly failure: Failure
  readonly verdict: Verdict
  constructor(failure: Failure, cause?: unknown) {
    super('rule' in failure ? failure.rule.text : 'code' in failure ? failure.code : failure.kind, { cause })
    this.failure = failure
    this.verdict = isPermanent(failure) ? 'permanent' : 'retry'
  }
}

const isPermanent = ({ kind }: Failure): boolean => ['link', 'address', 'redirect', 'tooLarge'].includes(kind)

const RETRIED_STATUSES = new Set([408, 425])

/** The consequence of a status; undefined for 2xx. */
export function verdictOn(statusCode: number): Verdict | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode === 429) return 'pause'
  return statusCode >= 500 || RETRIED_STATUSES.has(statusCode) ? 'retry' : 'permanent'
}

/** Sends a request, with every hop checked; the caller closes the answer. @throws OutboundFailed */
export async function openRequest(request: OutboundRequest): Promise<OutboundAnswer> {
  const { allowPrivate, isSecret, limits, signal: wanted } = request
  const agent = guardedAgent(allowPrivate, isSecret)
  const late = AbortSignal.timeout(limits.totalMs)
  const signal = wanted ? AbortSignal.any([wanted, late]) : late
  const asFailed = (error: unknown) => asOutboundFailed(error, { gone: wanted?.aborted === true, late: late.aborted })
  try {
    const { answer, url } = await follow(request, { agent, signal })
    const body = Readable.from(limited(answer.body, limits.maxBytes, asFailed), { objectMode: false })
    body.on('error', () => undefined) // whoever reads it hears of it; when nobody does any more, nobody needs to
    return { statusCode: answer.statusCode, headers: answer.headers, url, body, close: () => agent.destroy() }
  } catch (error) {
    await agent.destroy()
    throw asFailed(error)
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

interface Hop {
  agent: Agent
  signal: AbortSignal
}

/** Follows redirects; returns the last response and its address. */
async function follow(request: OutboundRequest, hop: Hop): Promise<{ answer: Dispatcher.ResponseData; url: URL }> {
  const { maxRedirects = 0 } = request
  let url = checkLink(request.url, request)
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(url, request, hop)
    if (maxRedirects === 0 || !REDIRECTS.has(answer.statusCode)) return { answer, url }
    answer.body.destroy()
    if (redirects === maxRedirects) throw redirectFailed(linkMessages.redirects({ limit: maxRedirects }))
    url = nextHop(url, answer.headers.location, request)
  }
}

const redirectFailed = (rule: Message) => new OutboundFailed({ kind: 'redirect', rule })

function nextHop(from: URL, header: string | string[] | undefined, request: OutboundRequest): URL {
  const location = typeof header === 'string' ? withBytesEncoded(header) : undefined
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw redirectFailed(linkMessages.leadsNowhere())
  }
  const next = checkLink(new URL(location, from.href).href, request, (rule) => linkMessages.redirectedTo({ rule }))
  // A server must not move a request from https to http.
  if (from.protocol === 'https:' && next.protocol === 'http:') throw redirectFailed(linkMessages.downgrade())
  return next
}

/** Percent-encodes the original non-ASCII bytes, which undici decodes as Latin-1. Most servers send UTF-8; curl does the same. */
const withBytesEncoded = (header: string): string =>
  header.replace(/[\u0080-\u00ff]/g, (byte) => encodeByte(byte.charCodeAt(0)))

const encodeByte = (byte: number): string => `%${byte.toString(16).toUpperCase()}`

function checkLink(link: string, { allowPrivate, isSecret }: OutboundRequest, say = (rule: Message) => rule): URL {
  const rule = linkViolation(link, allowPrivate) ?? (isSecret ? secretViolation(new URL(link)) : undefined)
  if (rule) throw new OutboundFailed({ kind: 'link', rule: say(rule) })
  return new URL(link)
}

async function ask(
  url: URL,
  { method, headers, body, limits }: OutboundRequest,
  { agent, signal }: Hop,
): Promise<Dispatcher.ResponseData> {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(new OutboundFailed({ kind: 'noAnswer' })), limits.headMs)
  try {
    const answer = await send(url, {
      method,
      dispatcher: agent,
      signal: AbortSignal.any([signal, silent.signal]),
      headers: { 'User-Agent': `svc/${SVC_VERSION}`, ...headers },
      bodyTimeout: limits.silenceMs,
      ...(body !== undefined && { body }),
    })
    answer.body.on('error', () => undefined) // it is destroyed wherever it is not wanted
    return answer
  } finally {
    clearTimeout(timer)
  }
}

async function* limited(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  asFailed: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of body) {
      received += chunk.length
      if (received > maxBytes) throw new OutboundFailed({ kind: 'tooLarge' })
      yield chunk
    }
  } catch (error) {
    throw asFailed(error)
  }
}

function asOutboundFailed(error: unknown, ended: { gone: boolean; late: boolean }): OutboundFailed {
  if (error instanceof OutboundFailed) return error
  if (ended.gone) return new OutboundFailed({ kind: 'aborted' }, error)
  if (ended.late) return new OutboundFailed({ kind: 'late' }, error)
  if (error instanceof ForbiddenAddress) return new OutboundFailed({ kind: 'address', rule: error.rule })
  const { code, name } = error as { code?: string; name?: string }
  if (code === 'UND_ERR_BODY_TIMEOUT') return new OutboundFailed({ kind: 'silent' }, error)
  return new OutboundFailed({ kind: 'network', code: code ?? name ?? 'network error' }, error)
}
