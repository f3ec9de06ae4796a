import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { defineMessages, type Message } from './messages.ts'

/** The body of an answer to a request that no handler sees, and its headers, in the shape of the server. */
export type Refuse = (status: number, message: Message) => { headers: Record<string, string>; body: string }

/** Time for a rejected sender to read the response. */
const LINGER_MS = 1000

/** What a server needs beside Node's own options. */
export interface ServerOptions extends http.ServerOptions {
  refuse: Refuse
  /** What is left of a body must arrive within this time of the answer. */
  restMs?: number
}

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/**
 * A server whose every response has the shape that `refuse` gives, also responses to what is no valid request. Those come
 * after the responses to the requests before, and close the connection.
 */
export function createServer({ refuse, restMs = 30_000, ...options }: ServerOptions, handle: Handle): http.Server {
  /** The last request of each connection without a complete response. */
  const unanswered = new WeakMap<Duplex, Exchange>()
  const failed = new WeakSet<Duplex>()

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const exchange = { request, response }
    unanswered.set(socket, exchange)
    response.once('close', () => {
      if (unanswered.get(socket) === exchange) unanswered.delete(socket)
      if (!request.complete && !socket.destroyed) limitRest(request, restMs)
    })
    const error = errorOf(request)
    if (error) answer(response, refuse, ...error)
    else void handle(request, response)
  }
  const fail = (socket: Duplex, status: number, message: Message, headers?: Record<string, string>) => {
    if (failed.has(socket)) return
    failed.add(socket)
    const last = unanswered.get(socket)
    if (!last) return answerRaw(socket, refuse, status, message, headers)
    const { request, response } = last
    if (request.complete) return void response.once('close', () => answerRaw(socket, refuse, status, message, headers))
    // The error is in the body of this request.
    if (response.headersSent) return void socket.destroy()
    response.once('close', () => request.destroy())
    answer(response, refuse, status, message)
  }

  // Node would answer a missing Host and an unknown expectation without a body.
  const server = http.createServer({ ...options, requireHostHeader: false })
  server.on('request', take)
  server.on('checkExpectation', take)
  server.on('connect', (_: IncomingMessage, socket: Duplex) =>
    fail(socket, 405, messages.noProxy(), { Allow: 'GET, HEAD, POST' }),
  )
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    // Requests after "Connection: close" are ignored.
    if (code === 'HPE_CLOSED_CONNECTION' && unanswered.has(socket)) return
    fail(socket, ...(ERRORS[code] ?? [400, messages.invalid()]))
  })
  return server
}

/** Nobody can hold a connection open with a body that nobody reads. */
function limitRest(request: IncomingMessage, restMs: number): void {
  const timer = setTimeout(() => request.destroy(), restMs)
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
}

function answer(response: ServerResponse, refuse: Refuse, status: number, message: Message): void {
  const { headers, body } = refuse(status, message)
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body)
}

function answerRaw(
  socket: Duplex,
  refuse: Refuse,
  status: number,
  message: Message,
  more: Record<string, string> = {},
): void {
  if (!socket.writable) return
  const { headers, body } = refuse(status, message)
  const all = { ...headers, ...more, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // Closing a connection over unread bytes would discard the response.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer)).resume()
}

const messages = defineMessages('connection', {
  headersTooLong: { en: 'The address or the headers are too long', ru: 'Адрес или заголовки слишком длинные.' },
  requestLate: { en: 'The request took too long to arrive', ru: 'Запрос шёл слишком долго.' },
  noMethod: { en: 'There is no such method', ru: 'Такого метода нет.' },
  hostTwice: { en: 'The header Host is there more than once', ru: 'Заголовок Host стоит больше одного раза.' },
  hostMissing: { en: 'The header Host is missing', ru: 'Заголовка Host нет.' },
  noHost: { en: 'The header Host is no host', ru: 'В заголовке Host нет адреса сервера.' },
  encoding: { en: 'The only Transfer-Encoding is chunked', ru: 'Из Transfer-Encoding можно только chunked.' },
  noProxy: { en: 'This is no proxy', ru: 'Это не прокси.' },
  invalid: { en: 'The request is not valid HTTP', ru: 'Это не запрос HTTP.' },
})

const ERRORS: Record<string, [status: number, message: Message]> = {
  HPE_HEADER_OVERFLOW: [431, messages.headersTooLong()],
  ERR_HTTP_REQUEST_TIMEOUT: [408, messages.requestLate()],
  HPE_INVALID_METHOD: [501, messages.noMethod()],
}

/** A host and a port as RFC 3986 writes them. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i

/** Whether a header Host names a host. */
export const isHost = (host: string): boolean => HOST.test(host)

/** What is wrong with a request that the parser let through (RFC 9112, 3.2 and 6.1). */
function errorOf({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): [status: number, message: Message] | undefined {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1) return [400, messages.hostTwice()]
  if (!headers.host && httpVersion === '1.1') return [400, messages.hostMissing()]
  if (headers.host && !isHost(headers.host)) return [400, messages.noHost()]
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding && coding !== 'chunked') return [501, messages.encoding()]
  return undefined
}
