import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailedError, JobNotReadyError } from '../../platform/queue/queue.ts'
import type { AudioErrorCode, AudioProperties, DecoderName } from '../recordings/entity.ts'
import {
  TIMING_PRECISIONS,
  type TranscriptSegment,
  type TimingPrecision,
  type SegmentWordTimes,
} from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
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
 * Thrown if the recognizer crashed during a recognition and other recognizers can take the call. The first such attempt of a call
 * does not count.
 */
export class RecognizerCrashedError extends RecognizerUnavailableError {
  constructor(address: string) {
    super(transcriptionMessages.recognizerDied({ address }), 0)
  }
}

interface RecognizedTranscript {
  text: string
  model: string
  decoder: string
  language: string
  timing: TimingPrecision | null
  segments: TranscriptSegment[]
}

/** The result of the recognizer for one file. Missing or invalid optional parts are undefined. */
export interface RecognizerResult {
  transcript: RecognizedTranscript
  durationSeconds: number
  /** The peaks of each channel from 0 to 100. */
  peaks?: number[][] | undefined
  words?: SegmentWordTimes[] | undefined
  audio?: AudioProperties | undefined
}

/** The progress in percent, and the length of the audio. The length is null until it is known. */
interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type RecognizerLine =
  | {
      type: 'progress'
      processedSeconds: number
      totalSeconds: number | null
      waiting?: true
      segments?: TranscriptSegment[]
    }
  | ({ type: 'result' } & RecognizerResult)
  | { type: 'error'; code: string; message: string }

/** Longer silence breaks the connection. The recognizer sends a line at least every two seconds, even while the file waits. */
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
  onProgress: (progress: RecognitionProgress) => void
  /** Called with segments that are new since the previous call. */
  onSegments: (segments: TranscriptSegment[]) => void
  signal: AbortSignal
}

type RecognitionListeners = Pick<RecognitionTask, 'onProgress' | 'onSegments'>

/**
 * Sends an audio file to a recognizer and returns the result.
 * @throws RecognizerUnavailableError if the recognizer did not start with the file, or the reason of an aborted `signal`
 * @throws RecognitionFailedError, or RecognizerConnectionBrokenError if the connection broke after the start
 */
export async function transcribeWithRecognizer(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, signal, ...listeners }: RecognitionTask,
): Promise<RecognizerResult> {
  // Use a new connection, because a kept-alive connection can be dead.
  const agent = new Agent({
    connect: { timeout: 5000 },
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  })
  let isBegun = false
  try {
    const combinedSignal = AbortSignal.any([signal, recognizer.lost])
    const response = await sendAudio(config, recognizer.url, agent, { audio, decoder, signal: combinedSignal })
    return await parseRecognition(response, listeners, (begun) => {
      isBegun = begun
      recognizer.onActivity()
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RecognizerUnavailableError || error instanceof RecognitionFailedError) throw error
    const reason = transcriptionMessages.connectionBroke({ code: translateNetworkError(errorCodeOf(error)) })
    // If the recognizer did not start with the file, the file did not crash it.
    throw isBegun ? new RecognizerConnectionBrokenError(reason) : new RecognizerUnavailableError(reason)
  } finally {
    audio.destroy()
    void agent.destroy()
  }
}

async function sendAudio(
  { ASR_API_KEY }: Config,
  url: string,
  dispatcher: Agent,
  { audio, decoder, signal }: Omit<RecognitionTask, keyof RecognitionListeners>,
): Promise<Dispatcher.ResponseData> {
  const query = decoder ? `?decoder=${decoder}` : ''
  const headers = { Authorization: `Bearer ${ASR_API_KEY}`, 'Content-Type': 'application/octet-stream' }
  const response = await request(`${url}/transcribe${query}`, {
    method: 'POST',
    dispatcher,
    headers,
    body: audio,
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

async function parseRecognition(
  response: Dispatcher.ResponseData,
  { onProgress, onSegments }: RecognitionListeners,
  onBegun: (isBegun: boolean) => void,
): Promise<RecognizerResult> {
  let isBegun = true
  onBegun(isBegun)
  for await (const line of parseJsonLines(response.body)) {
    if (line.type === 'result') return sanitizeResult(line)
    if (line.type === 'error') {
      if (line.code === 'UNAVAILABLE')
        throw new RecognizerUnavailableError(transcriptionMessages.unavailable({ said: line.message }))
      throw createRecognitionError(line)
    }
    isBegun = line.waiting !== true
    onBegun(isBegun)
    if (line.segments) onSegments(parseSegments(line.segments))
    if (line.totalSeconds) {
      const percent = Math.min(99, (100 * line.processedSeconds) / line.totalSeconds)
      onProgress({ percent, durationSeconds: line.totalSeconds })
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

/** Removes invalid or missing parts of a result, because the transcript is useful without them. */
function sanitizeResult({ transcript, durationSeconds, peaks, words, audio }: RecognizerResult): RecognizerResult {
  const segments = parseSegments(transcript.segments)
  return {
    transcript: { ...transcript, timing: parseTiming(transcript.timing), segments },
    durationSeconds,
    peaks: parsePeaks(peaks),
    words: parseWordTimes(words, segments),
    audio: parseAudioProperties(audio),
  }
}

/** Twice the size of the longest result, which is a call of three hours with two speakers. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MAX_LINE_VALUES = 500_000
const MAX_STATE_BYTES = 64 * 1024

async function* parseJsonLines(body: AsyncIterable<Buffer>): AsyncGenerator<RecognizerLine> {
  for await (const line of readLines(body, MAX_LINE_BYTES)) yield parseJson(line, MAX_LINE_VALUES) as RecognizerLine
}

function errorCodeOf(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}

/** The maximum number of peaks per channel. The recognizer sends at most 1000. */
const MAX_PEAKS = 2000

const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isConfidence = (value: unknown) => value === null || (isNumber(value) && value <= 1)
const isListOf = (value: unknown, length: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(isOne)

/** Returns the peaks of one or two channels if all of them are integers from 0 to 100. */
function parsePeaks(peaks: unknown): number[][] | undefined {
  const isPeak = (peak: unknown) => Number.isInteger(peak) && (peak as number) >= 0 && (peak as number) <= 100
  const isChannel = (list: unknown) => Array.isArray(list) && list.length <= MAX_PEAKS && list.every(isPeak)
  const isValid = Array.isArray(peaks) && (peaks.length === 1 || peaks.length === 2) && peaks.every(isChannel)
  return isValid ? (peaks as number[][]) : undefined
}

/** Returns segments with only the fields that we store. */
const parseSegments = (segments: TranscriptSegment[]): TranscriptSegment[] =>
  segments.map(({ start, end, channel, text, confidence }) => {
    return { start, end, channel, text, confidence: isConfidence(confidence) ? (confidence ?? null) : null }
  })

const parseTiming = (timing: unknown): TimingPrecision | null =>
  TIMING_PRECISIONS.find((known) => known === timing) ?? null

/** Returns the times of words if every word of every segment has valid times. */
function parseWordTimes(words: unknown, segments: TranscriptSegment[]): SegmentWordTimes[] | undefined {
  const isWord = (word: unknown) => {
    if (!Array.isArray(word) || word.length !== 3) return false
    return isNumber(word[0]) && isNumber(word[1]) && isConfidence(word[2])
  }
  const hasAllWords = (list: unknown, index: number) => isListOf(list, segments[index]!.text.split(' ').length, isWord)
  const isValid = Array.isArray(words) && words.length === segments.length && words.every(hasAllWords)
  return isValid ? (words as SegmentWordTimes[]) : undefined
}

function parseAudioProperties(audio: unknown): AudioProperties | undefined {
  const { channels, speechSeconds, silent, identical, clipped } = (audio ?? {}) as Partial<AudioProperties>
  if (channels !== 1 && channels !== 2) return undefined
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  const isValid =
    isListOf(speechSeconds, channels, isNumber) &&
    isListOf(silent, channels, isBoolean) &&
    isBoolean(identical) &&
    isBoolean(clipped)
  return isValid ? ({ channels, speechSeconds, silent, identical, clipped } as AudioProperties) : undefined
}
