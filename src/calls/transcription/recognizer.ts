import { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailedError, NotReadyError } from '../../platform/queue/queue.ts'
import type { AudioError, Decoder } from '../recordings/entity.ts'
import type { Segment, WordTimes } from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
import {
  parseSegments,
  parseSeparation,
  sanitizeRecognition,
  type Recognition,
  type Separation,
} from './recognition.ts'
import { translateNetworkError } from '../../platform/outbound/messages.ts'

/** The recognizer takes no work now. The attempt does not count. */
export class RecognizerUnavailable extends NotReadyError {}

/** A recognition failed. With a code, no retry can help. */
export class RecognitionFailed extends JobFailedError {
  readonly code: AudioError | undefined
  constructor(reason: Message, code?: AudioError) {
    super(reason, code !== undefined)
    this.code = code
  }
}

/** The connection broke in the middle of a recognition. */
export class ConnectionBroken extends RecognitionFailed {}

/** The recognizer crashed during a recognition, and other recognizers can take the call. */
export class RecognizerCrashed extends RecognizerUnavailable {
  constructor(address: string) {
    super(transcriptionMessages.recognizerDied({ address }), 0)
  }
}

/** The progress of a recognition: 0–100, and the length of the audio once it is known. */
interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type RecognizerLine<Result> =
  | { type: 'progress'; processedSeconds: number; totalSeconds: number | null; waiting?: true; segments?: Segment[] }
  | ({ type: 'result' } & Result)
  | { type: 'error'; code: string; message: string }

/** The recognizer sends a line every two seconds, also while a file waits. */
const SILENCE_LIMIT_MS = 60_000

/** The response of GET /readyz of the recognizer. */
export interface RecognizerState {
  status: 'ready' | 'loading' | 'failed'
  model: string
  version: string
  decoder: string
  precision: string
  /** Files in work and waiting, and the number of slots. */
  queue?: { running: number; waiting: number; places?: number }
}

/** The one recognizer that a file is sent to. */
export interface ChosenRecognizer {
  url: string
  /** Aborted when the recognizer is given up. */
  lost: AbortSignal
  /** Called for every line that it sends. */
  onActivity: () => void
}

/** Undefined if the recognizer does not respond within two seconds. */
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
  decoder: Decoder | null
  separateSpeakers: boolean
  onProgress: (progress: RecognitionProgress) => void
  /** Receives the new segments. */
  onSegments: (segments: Segment[]) => void
  signal: AbortSignal
}

/**
 * Transcribes one audio file.
 * @throws RecognizerUnavailable, RecognitionFailed (ConnectionBroken if it had begun), or the signal's reason
 */
export async function recognize(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, separateSpeakers, ...rest }: RecognitionTask,
): Promise<Recognition> {
  const result = await sendToRecognizer<Recognition>(config, recognizer, {
    path: decoder ? `/transcribe?decoder=${decoder}` : '/transcribe',
    // No parameter: recognizers of the release before reject unknown ones.
    headers: { 'X-Separate-Speakers': String(separateSpeakers) },
    body: audio,
    ...rest,
  })
  return sanitizeRecognition(result)
}

interface SeparationTask {
  audio: Readable
  segments: Segment[]
  words: WordTimes[]
  signal: AbortSignal
}

/** Tells the speakers of a transcribed file apart. @throws like recognize() */
export async function separateRecording(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, segments, words, signal }: SeparationTask,
): Promise<Separation> {
  const body = Readable.from(prependLine(JSON.stringify({ segments, words }), audio))
  const result = await sendToRecognizer<Separation>(config, recognizer, { path: '/separate', body, signal })
  const separation = parseSeparation(result)
  if (!separation) throw new RecognitionFailed(transcriptionMessages.noResult())
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

/** Sends a file to a recognizer and reads its answer to the result. */
async function sendToRecognizer<Result>(
  config: Config,
  recognizer: ChosenRecognizer,
  task: RecognizerRequest,
): Promise<Result> {
  const { signal } = task
  // A connection of its own: one that was kept alive can be dead.
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
    if (error instanceof RecognizerUnavailable || error instanceof RecognitionFailed) throw error
    const reason = transcriptionMessages.connectionBroke({ code: translateNetworkError(errorCodeOf(error)) })
    // A file that was not begun did not crash the recognizer.
    throw isBegun ? new ConnectionBroken(reason) : new RecognizerUnavailable(reason)
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
      throw new RecognizerUnavailable(
        transcriptionMessages.unreachable({ code: translateNetworkError(errorCodeOf(error)) }),
      )
    }
    throw error
  })
  if (response.statusCode === 503) throw new RecognizerUnavailable(transcriptionMessages.notReady())
  if (response.statusCode === 401) throw new RecognizerUnavailable(transcriptionMessages.refusesKey())
  if (response.statusCode !== 200)
    throw new RecognitionFailed(transcriptionMessages.answered({ status: response.statusCode }))
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
        throw new RecognizerUnavailable(transcriptionMessages.unavailable({ said: line.message }))
      throw createRecognitionError(line)
    }
    isBegun = line.waiting !== true
    onBegun(isBegun)
    if (line.segments) onSegments?.(parseSegments(line.segments))
    if (line.totalSeconds) {
      const percent = Math.min(99, (100 * line.processedSeconds) / line.totalSeconds)
      onProgress?.({ percent, durationSeconds: line.totalSeconds })
    }
  }
  const reason = transcriptionMessages.noResult()
  throw isBegun ? new ConnectionBroken(reason) : new RecognizerUnavailable(reason)
}

function createRecognitionError({
  code,
  message: recognizerMessage,
}: {
  code: string
  message: string
}): RecognitionFailed {
  if (code === 'UNSUPPORTED_AUDIO')
    return new RecognitionFailed(transcriptionMessages.unsupportedAudio({ said: recognizerMessage }), code)
  if (code === 'AUDIO_TOO_LONG')
    return new RecognitionFailed(transcriptionMessages.audioTooLong({ said: recognizerMessage }), code)
  return new RecognitionFailed(transcriptionMessages.recognizerFailed({ said: recognizerMessage }))
}

/** The result of the longest call, three hours of two people, takes half of this. */
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
