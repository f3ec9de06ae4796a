import { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailedError, JobNotReadyError } from '../../platform/queue/queue.ts'
import type { AudioErrorCode, DecoderName } from '../recordings/entity.ts'
import type { TranscriptSegment, SegmentWordTimes } from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
import {
  sanitizeSegments,
  parseSeparation,
  sanitizeRecognizerResult,
  type RecognizerResult,
  type Separation,
} from './recognition.ts'
import { translateNetworkError } from '../../platform/outbound/messages.ts'

/** Thrown if the recognizer cannot take a call now. The attempt does not count. */
export class RecognizerUnavailableError extends JobNotReadyError {}

/** Thrown if a recognition failed. With a `code`, no retry can help. */
export class RecognitionFailedError extends JobFailedError {
  readonly code: AudioErrorCode | undefined
  constructor(reason: Message, code?: AudioErrorCode) {
    super(reason, code !== undefined)
    this.code = code
  }
}

/** Thrown if the connection breaks after the recognizer has started with the file. */
export class RecognizerConnectionBrokenError extends RecognitionFailedError {}

/**
 * Thrown if the connection to one of several recognizers broke and this recognizer is not ready any more. The first such attempt
 * of a call does not count.
 */
export class RecognizerCrashedError extends RecognizerUnavailableError {
  constructor(address: string) {
    super(transcriptionMessages.recognizerDied({ address }), 0)
  }
}

/** The progress from 0 to 99 percent, and the length of the audio in seconds. */
interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type RecognizerLine<Result> =
  | {
      type: 'progress'
      processedSeconds: number
      totalSeconds: number | null
      waiting?: true
      segments?: TranscriptSegment[]
    }
  | ({ type: 'result' } & Result)
  | { type: 'error'; code: string; message: string }

/** We close a connection after this silence. The recognizer sends a line every second, even while the file waits. */
const SILENCE_LIMIT_MS = 60_000

/** The response of the recognizer to GET /readyz. */
export interface RecognizerState {
  status: 'ready' | 'loading' | 'failed'
  model: string
  version: string
  decoder: string
  precision: string
  /** Numbers of running and waiting files, and the number of slots. */
  queue?: { running: number; waiting: number; places?: number }
}

/** The recognizer to which a call is sent. */
export interface ChosenRecognizer {
  url: string
  /** Aborted if the recognizer does not respond any more. */
  lost: AbortSignal
  /** Call this for every line from the recognizer. */
  onActivity: () => void
}

/** Fetches the state of a recognizer. Returns undefined if it does not respond correctly within two seconds. */
export async function fetchRecognizerState(url: string): Promise<RecognizerState | undefined> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })
    const state = parseJson(await readText(body, MAX_STATE_BYTES)) as RecognizerState
    return statusCode === 200 ? state : undefined
  } catch {
    return undefined
  }
}

interface RecognitionTask {
  audio: Readable
  decoder: DecoderName | null
  separateSpeakers: boolean
  onProgress: (progress: RecognitionProgress) => void
  /** Called with segments that are new since the previous call. */
  onSegments: (segments: TranscriptSegment[]) => void
  signal: AbortSignal
}

/**
 * Sends an audio file to a recognizer and returns the result.
 * @throws RecognizerUnavailableError if the recognizer is unavailable or did not start with the file
 * @throws the reason of `signal` if it was aborted
 * @throws RecognitionFailedError, or RecognizerConnectionBrokenError if the connection broke after the start
 */
export async function transcribeWithRecognizer(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, separateSpeakers, ...rest }: RecognitionTask,
): Promise<RecognizerResult> {
  const result = await sendToRecognizer<RecognizerResult>(config, recognizer, {
    path: decoder ? `/transcribe?decoder=${decoder}` : '/transcribe',
    // A header, because recognizers of the previous release reject unknown query parameters.
    headers: { 'X-Separate-Speakers': String(separateSpeakers) },
    body: audio,
    ...rest,
  })
  return sanitizeRecognizerResult(result)
}

interface SeparationTask {
  audio: Readable
  segments: TranscriptSegment[]
  words: SegmentWordTimes[]
  signal: AbortSignal
}

/** Separates the speakers of a transcribed file. @throws like transcribeWithRecognizer() */
export async function separateSpeakersWithRecognizer(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, segments, words, signal }: SeparationTask,
): Promise<Separation> {
  const body = Readable.from(prependLine(JSON.stringify({ segments, words }), audio))
  const result = await sendToRecognizer<Separation>(config, recognizer, { path: '/separate', body, signal })
  const separation = parseSeparation(result)
  if (!separation) throw new RecognitionFailedError(transcriptionMessages.noResult())
  return separation
}

async function* prependLine(line: string, audio: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(`${line}\n`)
  yield* audio as AsyncIterable<Buffer>
}

interface RecognizerRequest extends Partial<Pick<RecognitionTask, 'onProgress' | 'onSegments'>> {
  path: string
  headers?: Record<string, string>
  body: Readable
  signal: AbortSignal
}

/** Sends a file to a recognizer and reads the lines of its response until the result. */
async function sendToRecognizer<Result>(
  config: Config,
  recognizer: ChosenRecognizer,
  task: RecognizerRequest,
): Promise<Result> {
  const { signal } = task
  // Use a new connection, because a kept-alive connection can be dead.
  const agent = new Agent({
    connect: { timeout: 5000 },
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  })
  let isBegun = false
  try {
    const combinedSignal = AbortSignal.any([signal, recognizer.lost])
    const response = await sendAudio(config, recognizer.url, agent, { ...task, signal: combinedSignal })
    return await readResult<Result>(response, task, (begun) => {
      isBegun = begun
      recognizer.onActivity()
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RecognizerUnavailableError || error instanceof RecognitionFailedError) throw error
    const reason = transcriptionMessages.connectionBroke({ code: translateNetworkError(errorCodeOf(error)) })
    // A file that the recognizer did not start with cannot have crashed the recognizer.
    throw isBegun ? new RecognizerConnectionBrokenError(reason) : new RecognizerUnavailableError(reason)
  } finally {
    task.body.destroy()
    void agent.destroy()
  }
}

async function sendAudio(
  { ASR_API_KEY }: Config,
  url: string,
  dispatcher: Agent,
  { path, headers, body, signal }: RecognizerRequest,
): Promise<Dispatcher.ResponseData> {
  const response = await request(`${url}${path}`, {
    method: 'POST',
    dispatcher,
    headers: { Authorization: `Bearer ${ASR_API_KEY}`, 'Content-Type': 'application/octet-stream', ...headers },
    body,
    signal,
  }).catch((error: unknown) => {
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(errorCodeOf(error))) {
      throw new RecognizerUnavailableError(
        transcriptionMessages.unreachable({ code: translateNetworkError(errorCodeOf(error)) }),
      )
    }
    throw error
  })
  if (response.statusCode === 503) throw new RecognizerUnavailableError(transcriptionMessages.notReady())
  if (response.statusCode === 401) throw new RecognizerUnavailableError(transcriptionMessages.refusesKey())
  if (response.statusCode !== 200)
    throw new RecognitionFailedError(transcriptionMessages.answered({ status: response.statusCode }))
  return response
}

async function readResult<Result>(
  response: Dispatcher.ResponseData,
  { onProgress, onSegments }: RecognizerRequest,
  onBegun: (isBegun: boolean) => void,
): Promise<Result> {
  let isBegun = true
  onBegun(isBegun)
  for await (const line of parseJsonLines<Result>(response.body)) {
    if (line.type === 'result') return line
    if (line.type === 'error') {
      if (line.code === 'UNAVAILABLE')
        throw new RecognizerUnavailableError(transcriptionMessages.unavailable({ said: line.message }))
      throw createRecognitionError(line)
    }
    isBegun = line.waiting !== true
    onBegun(isBegun)
    if (line.segments) onSegments?.(sanitizeSegments(line.segments))
    if (line.totalSeconds) {
      const percent = Math.min(99, (100 * line.processedSeconds) / line.totalSeconds)
      onProgress?.({ percent, durationSeconds: line.totalSeconds })
    }
  }
  const reason = transcriptionMessages.noResult()
  throw isBegun ? new RecognizerConnectionBrokenError(reason) : new RecognizerUnavailableError(reason)
}

function createRecognitionError({
  code,
  message: recognizerMessage,
}: {
  code: string
  message: string
}): RecognitionFailedError {
  if (code === 'UNSUPPORTED_AUDIO')
    return new RecognitionFailedError(transcriptionMessages.unsupportedAudio({ said: recognizerMessage }), code)
  if (code === 'AUDIO_TOO_LONG')
    return new RecognitionFailedError(transcriptionMessages.audioTooLong({ said: recognizerMessage }), code)
  return new RecognitionFailedError(transcriptionMessages.recognizerFailed({ said: recognizerMessage }))
}

/** Leaves room for the result of a call of three hours with two speakers. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MAX_LINE_VALUES = 500_000
const MAX_STATE_BYTES = 64 * 1024

async function* parseJsonLines<Result>(body: AsyncIterable<Buffer>): AsyncGenerator<RecognizerLine<Result>> {
  for await (const line of readLines(body, MAX_LINE_BYTES))
    yield parseJson(line, MAX_LINE_VALUES) as RecognizerLine<Result>
}

function errorCodeOf(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}
