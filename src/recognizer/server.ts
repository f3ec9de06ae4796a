import { createHash, timingSafeEqual } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Semaphore, withTimeout } from 'async-mutex'
import type { Config } from '../platform/config/config.ts'
import { createSequentialHttpServer } from '../platform/lib/connections.ts'
import { generateId } from '../platform/lib/ids.ts'
import type { Logger } from '../platform/lib/log.ts'
import type { Message } from '../platform/lib/messages.ts'
import { isOutOfSpaceError } from '../platform/lib/out-of-space.ts'
import { DECODER_NAMES, RecognitionError, type DecoderName } from './contract.ts'
import type { EngineInfo } from './engines/engine.ts'
import { writeBodyToFile, BodyTooLargeError, type RecognizerJobFolders } from './job-folders.ts'
import { recognizerMessages } from './messages.ts'
import { openPlayableAudio } from './playable.ts'
import { streamResult } from './result-stream.ts'
import { InvalidTextError, readTimedText } from './timed-text.ts'
import type { RecognizerWorkerPool } from './worker-pool.ts'

/** A request must arrive within this time, which is enough for slow connections. */
const UPLOAD_TIMEOUT_MS = 60 * 60 * 1000
const MEGABYTE = 1024 * 1024
/** After rejecting a body, we discard the rest for up to this time, so that the sender reads the response. */
const DRAIN_TIMEOUT_MS = 10_000

interface RecognizerContext {
  config: Config
  info: EngineInfo
  /** Returns true if beam_search has no language model on this recognizer. */
  lacksLanguageModel: () => boolean
  pool: RecognizerWorkerPool
  jobs: RecognizerJobFolders
  log: Logger
}

type Handler = (
  recognizer: RecognizerContext,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void> | void

const ROUTES: Record<string, { methods: string[]; handle: Handler }> = {
  '/healthz': { methods: ['GET', 'HEAD'], handle: (_, __, response) => sendJson(response, 200, { status: 'ok' }) },
  '/readyz': { methods: ['GET', 'HEAD'], handle: handleReadiness },
  '/transcribe': { methods: ['POST'], handle: handleTranscribe },
  '/separate': { methods: ['POST'], handle: handleSeparate },
  '/playable': { methods: ['POST'], handle: handlePlayable },
}

/** Thrown to send an error response with one message, or with one message per invalid parameter. */
class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly messages: Message | Message[],
    readonly headers: Record<string, string> = {},
  ) {
    super([messages].flat().join('; '))
  }
}

/** Creates the recognizer's HTTP server. The caller must call `listen()`. */
export function createRecognizerServer(recognizer: RecognizerContext): Server {
  return createSequentialHttpServer(
    { requestTimeout: UPLOAD_TIMEOUT_MS, refuse: buildErrorResponse },
    (request, response) => handleRequest(recognizer, request, response),
  )
}

/** Formats errors that occur outside of request handlers like all other errors. */
function buildErrorResponse(status: number, message: Message) {
  return {
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': generateId() },
    body: formatError(status, message),
  }
}

async function handleRequest(
  recognizer: RecognizerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = parseRequestId(request)
  response.setHeader('X-Request-Id', requestId)
  const log = recognizer.log.child({ requestId })
  try {
    const route = ROUTES[pathOf(request)]
    if (!route) throw new HttpError(404, recognizerMessages.noAddress())
    if (!route.methods.includes(request.method ?? '')) {
      const message = recognizerMessages.wrongMethod({ methods: route.methods.join(' or ') })
      throw new HttpError(405, message, { Allow: route.methods.join(', ') })
    }
    await route.handle({ ...recognizer, log }, request, response)
  } catch (error) {
    if (response.headersSent || request.socket.destroyed) return void response.destroy()
    if (!(error instanceof HttpError)) log.error({ err: error }, 'request failed')
    sendError(request, response, error instanceof HttpError ? error : toHttpError(error))
  }
}

/**
 * Converts an unknown error to a response. A full disk is not the fault of the file, so it gets the status 503, after which the
 * API retries without counting the attempt.
 */
function toHttpError(error: unknown): HttpError {
  if (isOutOfSpaceError(error)) return new HttpError(503, recognizerMessages.diskFull())
  return new HttpError(500, recognizerMessages.broken())
}

const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0]!

function parseRequestId({ headers }: IncomingMessage): string {
  const provided = headers['x-request-id']
  return typeof provided === 'string' && /^[\w.:-]{1,128}$/.test(provided) ? provided : generateId()
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

function formatError(statusCode: number, messages: Message | Message[]): string {
  const message = Array.isArray(messages) ? messages.map(String) : messages.text
  return JSON.stringify({ statusCode, message, error: STATUS_CODES[statusCode] })
}

/** Sends an error response. If the request body is incomplete, discards the rest for a limited time and closes the connection. */
function sendError(request: IncomingMessage, response: ServerResponse, { status, messages, headers }: HttpError): void {
  const text = formatError(status, messages)
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...(request.complete ? {} : { Connection: 'close' }),
  })
  if (request.complete) return void response.end(text)
  response.write(text)
  const end = () => response.end()
  const timer = setTimeout(end, DRAIN_TIMEOUT_MS)
  request.once('close', () => clearTimeout(timer))
  request.once('end', end).resume()
}

function handleReadiness(
  { config, info, pool }: RecognizerContext,
  _: IncomingMessage,
  response: ServerResponse,
): void {
  const { model, version, precision } = info
  const queue = { ...pool.queue, places: config.ASR_MAX_CONCURRENCY }
  sendJson(response, 200, { status: pool.status, model, version, decoder: config.DECODER, precision, queue })
}

/** Handles POST /transcribe. Receives the file, then streams JSON lines of progress. The last line has the result or an error. */
async function handleTranscribe(
  recognizer: RecognizerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { config, jobs } = recognizer
  authorize(config.ASR_API_KEY!, request)
  const decoder = parseDecoder(request) ?? config.DECODER
  rejectTooLarge(config, request)
  await jobs.withFile(async (file) => {
    const size = await receiveAudio(config, readChunks(request), file)
    // A header, because recognizers of the previous release reject unknown query parameters.
    const separateSpeakers = request.headers['x-separate-speakers'] === 'true'
    await streamResult(recognizer, { file, decoder, separateSpeakers }, size, response)
  })
}

/**
 * Handles POST /separate. Receives a JSON line with segments and words, then the file. Streams like POST /transcribe. The result
 * has segments with speakers.
 */
async function handleSeparate(
  recognizer: RecognizerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { config, jobs } = recognizer
  authorize(config.ASR_API_KEY!, request)
  rejectTooLarge(config, request)
  const { text, audio } = await readTimedText(readChunks(request)).catch((error: unknown) => {
    throw error instanceof InvalidTextError ? new HttpError(400, recognizerMessages.invalidText()) : error
  })
  await jobs.withFile(async (file) => {
    const size = await receiveAudio(config, audio, file)
    await streamResult(recognizer, { file, ...text }, size, response)
  })
}

/** Returns the chunks of a body. The connection stays open if the reader stops early, because it carries the response. */
const readChunks = (request: IncomingMessage): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false })

const tooLargeError = ({ MAX_UPLOAD_MB }: Config) =>
  new HttpError(413, recognizerMessages.tooLarge({ limit: MAX_UPLOAD_MB }))

/**
 * Checks the Content-Length, before any of the body is read.
 * @throws HttpError 413 if the body is too large
 */
function rejectTooLarge(config: Config, { headers }: IncomingMessage): void {
  if (Number(headers['content-length']) > config.MAX_UPLOAD_MB * MEGABYTE) throw tooLargeError(config)
}

/**
 * Writes the body to a file and returns its size in bytes.
 * @throws HttpError 413 if the body is too large
 */
function receiveAudio(config: Config, body: AsyncIterable<Buffer>, file: string): Promise<number> {
  return writeBodyToFile(body, file, config.MAX_UPLOAD_MB * MEGABYTE).catch((error) => {
    throw error instanceof BodyTooLargeError ? tooLargeError(config) : error
  })
}

const PLAYABLE_WAIT_TIMEOUT_MS = 30_000
/** Limits the playable copies that are decoded at once beside recognition. Further requests wait, and get 503 after the timeout. */
const playableSlots = withTimeout(
  new Semaphore(2),
  PLAYABLE_WAIT_TIMEOUT_MS,
  new HttpError(503, recognizerMessages.busy()),
)

/** Handles POST /playable. Receives the file and sends its audio as mu-law without a header, with channels and rate in headers. */
async function handlePlayable(
  { config, jobs, log }: RecognizerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  authorize(config.ASR_API_KEY!, request)
  rejectTooLarge(config, request)
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const [, release] = await playableSlots.acquire()
  try {
    closed.signal.throwIfAborted()
    await jobs.withFile(async (file) => {
      await receiveAudio(config, readChunks(request), file)
      const { channels, sampleRate, samples } = await openPlayableAudio(file, closed.signal)
      const chunks = samples[Symbol.asyncIterator]()
      // Decode the first chunk before sending headers, so that a broken file gets an error response.
      const first = await chunks.next()
      const headers = { 'X-Channels': channels, 'X-Sample-Rate': sampleRate }
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', ...headers })
      await pipeline(async function* () {
        if (!first.done) yield first.value
        yield* { [Symbol.asyncIterator]: () => chunks }
      }, response)
    })
  } catch (error) {
    if (closed.signal.aborted) return
    if (!(error instanceof RecognitionError)) throw error
    log.warn({ code: error.code }, 'not playable')
    throw new HttpError(error.code === 'INTERNAL' ? 500 : 422, recognizerMessages.notPlayable({ said: error.message }))
  } finally {
    release()
  }
}

function authorize(key: string, { headers }: IncomingMessage): void {
  const provided = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(provided), digest(key))) {
    throw new HttpError(401, recognizerMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
  }
}

/**
 * Parses the decoder from the query. Returns undefined if the query has none.
 * @throws HttpError 400 that names every invalid parameter
 */
function parseDecoder({ url = '' }: IncomingMessage): DecoderName | undefined {
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  const violations = [...new Set(query.keys())]
    .filter((name) => name !== 'decoder')
    .map((name) => recognizerMessages.unknownParameter({ name }))
  const provided = query.getAll('decoder')
  const decoder = DECODER_NAMES.find((known) => known === provided[0])
  if (provided.length > 1 || (provided.length === 1 && !decoder)) {
    violations.push(recognizerMessages.decoder({ values: DECODER_NAMES.join(', ') }))
  }
  if (violations.length > 0) throw new HttpError(400, violations)
  return decoder
}
