import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import { Agent, request, type Dispatcher } from 'undici'
import { PANEL_CLIENT_HEADER, formatPanelClientHeader } from '../../platform/lib/client-address.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import { PANEL_REQUEST_LIMIT_MS } from './server.ts'

/** Default time limit of a JSON request to the API. */
const PAGE_LIMIT_MS = 20_000

/** The browser's request on whose behalf the panel calls the API. */
interface ApiCaller {
  cookie: string | undefined
  address: string
  /** The session list shows this User-Agent, so that people recognize their devices. */
  userAgent: string
  requestId: string
  /** All API calls of one page with its parts, or of one form, share this id. */
  actionId: string
  /** Id of the person as whom an owner views the panel. */
  seeAs: string | undefined
  /** Aborts when the browser disconnects. */
  signal: AbortSignal
}

/** A message of the API in the language of the request. `field` names the invalid field. */
export interface ApiMessage {
  field?: string
  text: string
}

/** An unsuccessful API response: status 300 or higher for JSON, 400 or higher for streams. */
export class ApiError extends Error {
  readonly status: number
  /** One message per violation for status 400, otherwise usually one. Empty if the body has another shape. */
  readonly messages: ApiMessage[]
  readonly headers: IncomingHttpHeaders

  constructor(status: number, messages: ApiMessage[], headers: IncomingHttpHeaders = {}) {
    super(messages.map(({ text }) => text).join('; '))
    this.status = status
    this.messages = messages
    this.headers = headers
  }

  /** Seconds to wait before a retry, from the Retry-After header; undefined without it. */
  get retryAfterSeconds(): number | undefined {
    const seconds = Number(this.headers['retry-after'])
    return seconds > 0 ? Math.ceil(seconds) : undefined
  }
}

/** The API is unreachable or too slow, its response is unreadable, or the browser has disconnected. */
export class ApiUnavailableError extends Error {}

/** The type of the JSON body that an operation returns with status 200. */
export type ApiResponseBody<O extends { responses: { 200: { json: TSchema } } }> = Static<O['responses'][200]['json']>

interface ApiResponse<T> {
  headers: IncomingHttpHeaders
  body: T
}

/** An unparsed response with any status, for streaming to the browser. */
export interface ApiStreamResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

type HeaderMap = Record<string, string | string[]>
type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Connects to /v1, the panel's only source of data. One client serves all browsers and reuses connections. */
export class ApiClient {
  private readonly agent = new Agent({ connect: { timeout: 5000 }, headersTimeout: 0, bodyTimeout: 0 })
  private readonly baseUrl: string
  private readonly secret: string | undefined
  private readonly requestLimitMs: number

  /**
   * @param secret SESSION_SECRET; with it, the API accepts the panel's statement of the browser's address
   * @param requestLimitMs time limit of uploads, downloads and forwarded requests
   */
  constructor(baseUrl: string, secret: string | undefined, requestLimitMs = PANEL_REQUEST_LIMIT_MS) {
    this.baseUrl = baseUrl
    this.secret = secret
    this.requestLimitMs = requestLimitMs
  }

  /** Creates the API for one request of a browser, with the browser's cookie and address. */
  createRequestApi(caller: ApiCaller): RequestApi {
    return new RequestApi(this.baseUrl, this.agent, caller, this.secret, this.requestLimitMs)
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }
}

/** Calls the API on behalf of one browser request. Repeated reads of a path share one call. */
export class RequestApi {
  private readonly baseUrl: string
  private readonly agent: Agent
  private readonly caller: ApiCaller
  private readonly secret: string | undefined
  /** Time limit of streamed and forwarded requests. */
  readonly requestLimitMs: number
  /** The frame and the page can need the same path, so reads are cached until this request changes something. */
  private readonly reads = new Map<string, Promise<unknown>>()
  language: 'en' | 'ru' = 'en'

  constructor(baseUrl: string, agent: Agent, caller: ApiCaller, secret: string | undefined, requestLimitMs: number) {
    this.baseUrl = baseUrl
    this.agent = agent
    this.caller = caller
    this.secret = secret
    this.requestLimitMs = requestLimitMs
  }

  /**
   * Fetches JSON by GET. Reads of the same path share one call until send() or sendStream() changes something. @throws ApiError,
   * ApiUnavailableError
   */
  fetch<T>(path: string): Promise<T> {
    let pending = this.reads.get(path)
    if (!pending) this.reads.set(path, (pending = this.send('GET', path).then(({ body }) => body)))
    return pending as Promise<T>
  }

  /** Sends a request with an optional JSON body. @param limitMs time limit @throws ApiError, ApiUnavailableError */
  async send<T>(method: HttpMethod, path: string, body?: object, limitMs = PAGE_LIMIT_MS): Promise<ApiResponse<T>> {
    if (method !== 'GET') this.reads.clear()
    const headers = body && { 'Content-Type': 'application/json' }
    return parseResponse(await this.sendRequest(method, path, limitMs, headers, body && formatJson(body)))
  }

  /** Posts a stream such as an uploaded file, with the time limit of a whole request. @throws ApiError, ApiUnavailableError */
  async sendStream<T>(path: string, type: string, body: Readable): Promise<ApiResponse<T>> {
    this.reads.clear()
    return parseResponse(await this.sendRequest('POST', path, this.requestLimitMs, { 'Content-Type': type }, body))
  }

  /**
   * Streams a response of the API, including 416 for an invalid range. @throws ApiError for other statuses from 400 @throws
   * ApiUnavailableError
   */
  async fetchStream(method: 'GET' | 'HEAD', path: string, headers: HeaderMap): Promise<ApiStreamResponse> {
    const {
      statusCode: status,
      headers: responseHeaders,
      body,
    } = await this.sendRequest(method, path, this.requestLimitMs, headers)
    if (status < 400 || status === 416) return { status, headers: responseHeaders, body }
    throw new ApiError(status, parseMessages(status, await body.text().catch(throwUnavailable)), responseHeaders)
  }

  /** Forwards a browser's request with the panel's own identity headers. Returns a response of any status. @throws ApiUnavailableError */
  async forward(method: string, target: string, headers: HeaderMap, body?: Readable): Promise<ApiStreamResponse> {
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
        // The panel has already checked the origin of the browser's request, so the API can treat it as its own.
        ...(isChange && { 'Sec-Fetch-Site': 'same-origin' }),
        ...this.buildIdentityHeaders(),
      },
      ...(body !== undefined && { body }),
    }).catch(throwUnavailable)
  }

  private createSignal(limitMs: number): AbortSignal {
    return createTimeoutSignal(limitMs, this.caller.signal)
  }

  private buildIdentityHeaders(): Record<string, string> {
    const { cookie, address, userAgent, requestId, actionId, seeAs } = this.caller
    return {
      ...(cookie !== undefined && { Cookie: cookie }),
      // Sends exactly one address. The browser's own X-Forwarded-For would mislead the login throttle of the API.
      'X-Forwarded-For': address,
      ...(this.secret && { [PANEL_CLIENT_HEADER]: formatPanelClientHeader(this.secret, address) }),
      'User-Agent': userAgent,
      'X-Request-Id': requestId,
      'X-Action-Id': actionId,
      ...(seeAs && { 'X-See-As': seeAs }),
    }
  }
}

/** Escapes the replacement character, because the API interprets it as invalid UTF-8. */
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

/** Returns a handler for `catch` that resolves with the ApiError if it has one of the statuses, and rethrows other errors. */
export function returnApiErrorWithStatus(...statuses: number[]): (error: unknown) => ApiError {
  return (error) => {
    if (error instanceof ApiError && statuses.includes(error.status)) return error
    throw error
  }
}

/** Resolves with undefined for a 4xx of an optional part of a page. Rethrows other errors, and 401 because it needs a login. */
export function ignoreApiRejection(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status < 500 && error.status !== 401)) throw error
}

/** Parses the messages of an API error. Returns an empty list if the body has another shape. */
function parseMessages(status: number, text: string): ApiMessage[] {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] }
    if (status === 400 && Array.isArray(message)) return message.map(parseFieldMessage)
    return [message ?? []].flat().map((one) => ({ text: formatSentence(one) }))
  } catch {
    return []
  }
}

/** Splits a message into its field and its rule: `name must not be empty`, or in Russian `name: Заполните это поле.` */
function parseFieldMessage(text: string): ApiMessage {
  const [, field, rule] = /^([^\s:]+):? (.+)$/s.exec(text) ?? []
  return field && rule ? { field, text: formatSentence(rule) } : { text: formatSentence(text) }
}

function formatSentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return text === '' || /[.!?…]$/.test(text) ? capitalized : `${capitalized}.`
}
