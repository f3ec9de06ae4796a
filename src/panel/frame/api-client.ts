import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import { Agent, request, type Dispatcher } from 'undici'
import { PANEL_CLIENT_HEADER, formatPanelClient } from '../../platform/lib/client-address.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import { REQUEST_LIMIT_MS } from './server.ts'

/** The time limit of the API for a page. */
const PAGE_LIMIT_MS = 20_000

/** The browser's request behind a call of the API. */
interface ApiCaller {
  cookie: string | undefined
  /** The browser's own address, as the panel knows it. */
  address: string
  /** The User-Agent of the browser, by which people recognise a session in their list. */
  userAgent: string
  requestId: string
  /** The id of the person's action: one for a page with all its parts, one for a form. */
  actionId: string
  /** The id of the person whose view an owner asks for. */
  seeAs: string | undefined
  /** Aborts when the browser disconnects. */
  signal: AbortSignal
}

/** A message of the API, in the language of the request: a sentence, and the field that it names. */
export interface ApiMessage {
  field?: string
  text: string
}

export class ApiError extends Error {
  readonly status: number
  /** The messages; of a 400 one message for each invalid field. */
  readonly messages: ApiMessage[]
  readonly headers: IncomingHttpHeaders

  constructor(status: number, messages: ApiMessage[], headers: IncomingHttpHeaders = {}) {
    super(messages.map(({ text }) => text).join('; '))
    this.status = status
    this.messages = messages
    this.headers = headers
  }

  /** Seconds to wait before the next try, if the API sends them. */
  get retryAfterSeconds(): number | undefined {
    const seconds = Number(this.headers['retry-after'])
    return seconds > 0 ? Math.ceil(seconds) : undefined
  }
}

/** No response: the API is down, unreachable or too slow, or another server responds. */
export class ApiUnavailableError extends Error {}

/** The response of an operation of the API. */
export type ApiResponseOf<O extends { responses: { 200: { json: TSchema } } }> = Static<O['responses'][200]['json']>

interface ApiResponse<T> {
  headers: IncomingHttpHeaders
  body: T
}

/** A response that is passed on unchanged, whatever its status. */
export interface ApiStream {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

type HeaderMap = Record<string, string | string[]>
type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The panel's only source of data: /v1, called with the browser's own cookie. */
export class ApiClient {
  private readonly agent = new Agent({ connect: { timeout: 5000 }, headersTimeout: 0, bodyTimeout: 0 })
  private readonly baseUrl: string
  private readonly secret: string | undefined
  private readonly requestLimitMs: number

  /**
   * @param secret SESSION_SECRET, where the panel is given it: the API then takes its word for a browser's address
   * @param requestLimitMs how long an upload, a download or a request that is sent on can take
   */
  constructor(baseUrl: string, secret: string | undefined, requestLimitMs = REQUEST_LIMIT_MS) {
    this.baseUrl = baseUrl
    this.secret = secret
    this.requestLimitMs = requestLimitMs
  }

  /** The API as one browser's request sees it. */
  createApi(caller: ApiCaller): Api {
    return new Api(this.baseUrl, this.agent, caller, this.secret, this.requestLimitMs)
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }
}

/** Calls on behalf of one request of one browser. */
export class Api {
  private readonly baseUrl: string
  private readonly agent: Agent
  private readonly caller: ApiCaller
  private readonly secret: string | undefined
  /** The time limit of calls that can take as long as a request. */
  readonly requestLimitMs: number
  /** The cached reads of this request: the frame and the page can need the same. */
  private readonly reads = new Map<string, Promise<unknown>>()
  language: 'en' | 'ru' = 'en'

  constructor(baseUrl: string, agent: Agent, caller: ApiCaller, secret: string | undefined, requestLimitMs: number) {
    this.baseUrl = baseUrl
    this.agent = agent
    this.caller = caller
    this.secret = secret
    this.requestLimitMs = requestLimitMs
  }

  /** GETs JSON; repeats no earlier read unless this request has changed something since. @throws ApiError, ApiUnavailableError */
  fetch<T>(path: string): Promise<T> {
    let pending = this.reads.get(path)
    if (!pending) this.reads.set(path, (pending = this.send('GET', path).then(({ body }) => body)))
    return pending as Promise<T>
  }

  /** Sends a request, with a JSON body if there is one. @throws ApiError, ApiUnavailableError */
  async send<T>(method: HttpMethod, path: string, body?: object, limitMs = PAGE_LIMIT_MS): Promise<ApiResponse<T>> {
    if (method !== 'GET') this.reads.clear()
    const headers = body && { 'Content-Type': 'application/json' }
    return parseResponse(await this.sendRequest(method, path, limitMs, headers, body && formatJson(body)))
  }

  /** Posts a body as it arrives, such as an uploaded file; can take as long as a request. @throws ApiError, ApiUnavailableError */
  async sendStream<T>(path: string, type: string, body: Readable): Promise<ApiResponse<T>> {
    this.reads.clear()
    return parseResponse(await this.sendRequest('POST', path, this.requestLimitMs, { 'Content-Type': type }, body))
  }

  /** Passes a response on as it arrives, with the given headers. @throws ApiError from 400 on, but 416; ApiUnavailableError */
  async fetchStream(method: 'GET' | 'HEAD', path: string, headers: HeaderMap): Promise<ApiStream> {
    const {
      statusCode: status,
      headers: responseHeaders,
      body,
    } = await this.sendRequest(method, path, this.requestLimitMs, headers)
    if (status < 400 || status === 416) return { status, headers: responseHeaders, body }
    throw new ApiError(status, parseMessages(status, await body.text().catch(throwUnavailable)), responseHeaders)
  }

  /** Forwards a browser's request with its target unchanged, and passes any answer through. @throws ApiUnavailableError */
  async forward(method: string, target: string, headers: HeaderMap, body?: Readable): Promise<ApiStream> {
    const response = await this.agent
      .request({
        origin: this.baseUrl,
        path: target,
        method,
        signal: this.createSignal(this.requestLimitMs),
        headers: { ...headers, ...this.buildIdentityHeaders() },
        ...(body && { body }),
      })
      .catch(throwUnavailable)
    return { status: response.statusCode, headers: response.headers, body: response.body }
  }

  private async sendRequest(
    method: HttpMethod,
    path: string,
    limitMs: number,
    headers: HeaderMap | undefined,
    body?: string | Readable,
  ): Promise<Dispatcher.ResponseData> {
    const isChange = method !== 'GET' && method !== 'HEAD'
    return request(this.baseUrl + path, {
      method,
      dispatcher: this.agent,
      signal: this.createSignal(limitMs),
      headers: {
        ...headers,
        'Accept-Language': this.language,
        // The panel has checked the origin of the browser's request; for the API, the panel's pages have the same origin.
        ...(isChange && { 'Sec-Fetch-Site': 'same-origin' }),
        ...this.buildIdentityHeaders(),
      },
      ...(body !== undefined && { body }),
    }).catch(throwUnavailable)
  }

  private createSignal(limitMs: number): AbortSignal {
    return createTimeoutSignal(limitMs, this.caller.signal)
  }

  /** The credentials for the API. */
  private buildIdentityHeaders(): Record<string, string> {
    const { cookie, address, userAgent, requestId, actionId, seeAs } = this.caller
    return {
      ...(cookie !== undefined && { Cookie: cookie }),
      // Exactly one address: headers of the browser about its route must not reach the login throttle of the API.
      'X-Forwarded-For': address,
      ...(this.secret && { [PANEL_CLIENT_HEADER]: formatPanelClient(this.secret, address) }),
      'User-Agent': userAgent,
      'X-Request-Id': requestId,
      'X-Action-Id': actionId,
      ...(seeAs && { 'X-See-As': seeAs }),
    }
  }
}

/** The API takes � for invalid UTF-8, unless it is escaped. */
const formatJson = (body: object): string => JSON.stringify(body).replaceAll('\ufffd', '\\ufffd')

async function parseResponse<T>({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<ApiResponse<T>> {
  const text = await body.text().catch(throwUnavailable)
  if (statusCode >= 300) throw new ApiError(statusCode, parseMessages(statusCode, text), headers)
  return { headers, body: (text === '' ? undefined : parseResponseJson(text)) as T }
}

function throwUnavailable(error: Error): never {
  throw new ApiUnavailableError(`the API does not answer: ${error.message}`, { cause: error })
}

function parseResponseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return throwUnavailable(error as Error)
  }
}

/** Handles a rejected call: returns a refusal with one of these statuses, throws every other error. */
export function returnApiError(...statuses: number[]): (error: unknown) => ApiError {
  return (error) => {
    if (error instanceof ApiError && statuses.includes(error.status)) return error
    throw error
  }
}

/** Handles a rejected call for an optional part of a page: undefined for any 4xx but 401, throws every other error. */
export function ignoreRejection(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status < 500 && error.status !== 401)) throw error
}

/** The messages of an error in the API's shape, for field validation one per field; none of any other body. */
function parseMessages(status: number, text: string): ApiMessage[] {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] }
    if (status === 400 && Array.isArray(message)) return message.map(parseFieldMessage)
    return [message ?? []].flat().map((one) => ({ text: formatSentence(one) }))
  } catch {
    return []
  }
}

/** Splits a message that starts with its field: "name must not be empty", in Russian "name: Заполните это поле." */
function parseFieldMessage(text: string): ApiMessage {
  const [, field, rule] = /^([^\s:]+):? (.+)$/s.exec(text) ?? []
  return field && rule ? { field, text: formatSentence(rule) } : { text: formatSentence(text) }
}

function formatSentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return text === '' || /[.!?…]$/.test(text) ? capitalized : `${capitalized}.`
}
