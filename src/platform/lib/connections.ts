import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { defineMessages, type Message } from './messages.ts'

/** Formats the error response to a request that no handler receives, such as invalid HTTP. */
export type ErrorResponseFormatter = (
  status: number,
  message: Message,
) => { headers: Record<string, string>; body: string }

/** Destroys a connection with more waiting pipelined requests. Clients use far fewer. */
const MAX_PIPELINED_REQUESTS = 500

/** Gives a rejected client this time to read the response before the connection closes. */
const LINGER_MS = 1000

interface ServerOptions extends http.ServerOptions {
  refuse: ErrorResponseFormatter
  /** Milliseconds after the response until the rest of the request body must have arrived. */
  restMs?: number
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/**
 * Creates an HTTP server that handles the requests of a connection one after the other, including invalid ones. A waiting
 * pipelined request therefore costs only its headers.
 */
export function createSequentialHttpServer(
  { refuse, restMs = 30_000, ...options }: ServerOptions,
  handle: RequestHandler,
): http.Server {
  const connections = new WeakMap<Duplex, Connection>()
  const getConnection = (socket: Duplex): Connection => {
    const existing = connections.get(socket)
    const connection = existing ?? new Connection(socket, handle, refuse, restMs)
    if (!existing) connections.set(socket, connection)
    return connection
  }
  // Disable Node's own check, because it responds to a missing Host with only the status.
  const server = http.createServer({ ...options, requireHostHeader: false })
  const enqueue = (request: IncomingMessage, response: ServerResponse) =>
    getConnection(request.socket).enqueue({ request, response })
  server.on('request', enqueue)
  server.on('checkExpectation', enqueue)
  server.on('connect', (_: IncomingMessage, socket: Duplex) =>
    getConnection(socket).end(405, messages.noProxy(), { Allow: 'GET, HEAD, POST' }),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => getConnection(socket).fail(error.code))
  return server
}

class Connection {
  /** The first exchange is being handled; the others wait. */
  private readonly exchanges: Exchange[] = []
  private error: [status: number, message: Message, headers?: Record<string, string>] | undefined
  private isEnding = false

  constructor(
    private readonly socket: Duplex,
    private readonly handle: RequestHandler,
    private readonly refuse: ErrorResponseFormatter,
    private readonly restMs: number,
  ) {}

  enqueue(exchange: Exchange): void {
    if (this.exchanges.length > MAX_PIPELINED_REQUESTS) return void this.socket.destroy()
    this.exchanges.push(exchange)
    exchange.response.once('close', () => this.serveNext(exchange))
    if (this.exchanges.length === 1) this.serve(exchange)
  }

  /** Handles a request that the parser rejects or that arrives too slowly. */
  fail(code: string | undefined): void {
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy()
    // Ignore data after `Connection: close`, but send the responses before it.
    if (this.error || (code === 'HPE_CLOSED_CONNECTION' && this.exchanges.length > 0)) return
    const [status, message] = PARSER_ERRORS[code ?? ''] ?? [400, messages.invalid()]
    this.end(status, message)
  }

  /** Sends this error after the responses of earlier requests, then closes the connection. */
  end(status: number, message: Message, headers?: Record<string, string>): void {
    this.error = [status, message, headers]
    this.endAfterResponses()
  }

  private serve({ request, response }: Exchange): void {
    const error = findRequestError(request)
    if (error) this.respond(response, ...error)
    else void this.handle(request, response)
  }

  private serveNext({ request }: Exchange): void {
    this.exchanges.shift()
    if (this.isEnding) return void request.destroy() // ends the stream for a handler that still reads the body
    if (!request.complete && !this.socket.destroyed) this.limitUnreadBody(request)
    const [next] = this.exchanges
    if (this.error) this.endAfterResponses()
    if (next && !this.isEnding && !this.socket.destroyed) this.serve(next)
  }

  /** Closes the connection if the rest of the body does not arrive within restMs. */
  private limitUnreadBody(request: IncomingMessage): void {
    const timer = setTimeout(() => request.destroy(), this.restMs)
    request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  }

  /**
   * Sends the error once all other responses are sent. An error inside a body becomes the response to its request. If that
   * response has begun, the connection is destroyed.
   */
  private endAfterResponses(): void {
    const [exchange, ...more] = this.exchanges
    if (this.isEnding || !this.socket.writable || more.length > 0 || exchange?.request.complete) return
    this.isEnding = true
    const [status, message, headers] = this.error!
    if (!exchange) this.respondRaw(status, message, headers)
    else if (exchange.response.headersSent) this.socket.destroy()
    else this.respond(exchange.response, status, message)
  }

  private respond(response: ServerResponse, status: number, message: Message): void {
    const { headers, body } = this.refuse(status, message)
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body)
  }

  private respondRaw(status: number, message: Message, more: Record<string, string> = {}): void {
    const { headers, body } = this.refuse(status, message)
    const allHeaders = { ...headers, ...more, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
    const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    // Drain the rest, because closing a connection with unread bytes discards the response.
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(timer)).resume()
  }
}

const messages = defineMessages('connection', {
  headersTooLong: { en: 'The address or the headers are too long', ru: 'Адрес или заголовки слишком длинные.' },
  requestLate: { en: 'The request took too long to arrive', ru: 'Запрос передавался слишком долго.' },
  noMethod: { en: 'Unknown method', ru: 'Неизвестный метод.' },
  hostTwice: { en: 'The Host header is repeated', ru: 'Заголовок Host повторяется.' },
  hostMissing: { en: 'The Host header is missing', ru: 'Нет заголовка Host.' },
  noHost: { en: 'The Host header is not a valid host', ru: 'В заголовке Host не адрес сервера.' },
  encoding: { en: 'Transfer-Encoding must be chunked', ru: 'Transfer-Encoding может быть только chunked.' },
  noProxy: { en: 'This server is not a proxy', ru: 'Этот сервер — не прокси.' },
  invalid: { en: 'The request is not valid HTTP', ru: 'Неверный запрос HTTP.' },
})

const PARSER_ERRORS: Record<string, [status: number, message: Message]> = {
  HPE_HEADER_OVERFLOW: [431, messages.headersTooLong()],
  ERR_HTTP_REQUEST_TIMEOUT: [408, messages.requestLate()],
  HPE_INVALID_METHOD: [501, messages.noMethod()],
}

/** Matches a host with an optional port (RFC 3986). */
const HOST_PATTERN = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i

/** Returns true if the value of a Host header is a valid host with an optional port. */
export const isValidHostHeader = (host: string): boolean => HOST_PATTERN.test(host)

/** Finds errors that Node's parser accepts (RFC 9112, 3.2 and 6.1). */
function findRequestError({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): [status: number, message: Message] | undefined {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1) return [400, messages.hostTwice()]
  if (!headers.host && httpVersion === '1.1') return [400, messages.hostMissing()]
  if (headers.host && !isValidHostHeader(headers.host)) return [400, messages.noHost()]
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding && coding !== 'chunked') return [501, messages.encoding()]
  return undefined
}
