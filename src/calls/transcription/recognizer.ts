import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailedError, NotReadyError } from '../../platform/queue/queue.ts'
import {
  SPEAKER_METHODS,
  type AudioError,
  type AudioProperties,
  type CallSpeakers,
  type Decoder,
} from '../recordings/entity.ts'
import { TIMINGS, type Segment, type Timing, type WordTimes } from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
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

interface RecognizedTranscript {
  text: string
  model: string
  decoder: string
  language: string
  timing: Timing | null
  segments: Segment[]
}

type Speakers = Pick<CallSpeakers, 'method' | 'confidence'>

/** The result of the recognizer for one file. */
export interface Recognition {
  transcript: RecognizedTranscript
  durationSeconds: number
  /** The peaks of each channel, 0–100. */
  peaks?: number[][] | undefined
  /** Times of the words of each segment. */
  words?: WordTimes[] | undefined
  audio?: AudioProperties | undefined
  speakers?: Speakers | undefined
}

/** The progress of a recognition: 0–100, and the length of the audio once it is known. */
interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type RecognizerLine =
  | { type: 'progress'; processedSeconds: number; totalSeconds: number | null; waiting?: true; segments?: Segment[] }
  | ({ type: 'result' } & Recognition)
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

type RecognitionListeners = Pick<RecognitionTask, 'onProgress' | 'onSegments'>

/**
 * Transcribes one audio file.
 * @throws RecognizerUnavailable, RecognitionFailed (ConnectionBroken if it had begun), or the signal's reason
 */
export async function recognize(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, separateSpeakers, signal, ...listeners }: RecognitionTask,
): Promise<Recognition> {
  // A connection of its own: one that was kept alive can be dead.
  const agent = new Agent({
    connect: { timeout: 5000 },
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  })
  let isBegun = false
  try {
    const combinedSignal = AbortSignal.any([signal, recognizer.lost])
    const response = await sendAudio(config, recognizer.url, agent, {
      audio,
      decoder,
      separateSpeakers,
      signal: combinedSignal,
    })
    return await parseRecognition(response, listeners, (begun) => {
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
    audio.destroy()
    void agent.destroy()
  }
}

async function sendAudio(
  { ASR_API_KEY }: Config,
  url: string,
  dispatcher: Agent,
  { audio, decoder, separateSpeakers, signal }: Omit<RecognitionTask, keyof RecognitionListeners>,
): Promise<Dispatcher.ResponseData> {
  const query = decoder ? `?decoder=${decoder}` : ''
  const headers = {
    Authorization: `Bearer ${ASR_API_KEY}`,
    'Content-Type': 'application/octet-stream',
    // No parameter: recognizers of the release before reject unknown ones.
    'X-Separate-Speakers': String(separateSpeakers),
  }
  const response = await request(`${url}/transcribe${query}`, {
    method: 'POST',
    dispatcher,
    headers,
    body: audio,
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

async function parseRecognition(
  response: Dispatcher.ResponseData,
  { onProgress, onSegments }: RecognitionListeners,
  onBegun: (isBegun: boolean) => void,
): Promise<Recognition> {
  let isBegun = true
  onBegun(isBegun)
  for await (const line of parseJsonLines(response.body)) {
    if (line.type === 'result') return sanitizeResult(line)
    if (line.type === 'error') {
      if (line.code === 'UNAVAILABLE')
        throw new RecognizerUnavailable(transcriptionMessages.unavailable({ said: line.message }))
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

/** Leaves out the parts of a result that are missing or invalid: the transcript is useful without them. */
function sanitizeResult({ transcript, durationSeconds, peaks, words, audio, speakers }: Recognition): Recognition {
  const segments = parseSegments(transcript.segments)
  return {
    transcript: { ...transcript, timing: parseTiming(transcript.timing), segments },
    durationSeconds,
    peaks: parsePeaks(peaks),
    words: parseWordTimes(words, segments),
    audio: parseAudioProperties(audio),
    speakers: parseSpeakers(speakers),
  }
}

/** The result of the longest call, three hours of two people, takes half of this. */
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

/** The maximum number of peaks per channel; the recognizer sends about half as many. */
const MAX_PEAKS = 2000

const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isConfidence = (value: unknown) => value === null || (isNumber(value) && value <= 1)
const isListOf = (value: unknown, length: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(isOne)

/** The peaks of one or two channels, 0 to 100. */
function parsePeaks(peaks: unknown): number[][] | undefined {
  const isPeak = (peak: unknown) => Number.isInteger(peak) && (peak as number) >= 0 && (peak as number) <= 100
  const isChannel = (list: unknown) => Array.isArray(list) && list.length <= MAX_PEAKS && list.every(isPeak)
  const isValid = Array.isArray(peaks) && (peaks.length === 1 || peaks.length === 2) && peaks.every(isChannel)
  return isValid ? (peaks as number[][]) : undefined
}

/** The segments with only the stored fields. */
const parseSegments = (segments: Segment[]): Segment[] =>
  segments.map(({ start, end, channel, text, confidence, speaker, speakerConfidence }) => ({
    start,
    end,
    channel,
    text,
    confidence: isConfidence(confidence) ? (confidence ?? null) : null,
    ...([0, 1, null].includes(speaker!) && {
      speaker,
      speakerConfidence: isConfidence(speakerConfidence) ? (speakerConfidence ?? null) : null,
    }),
  }))

function parseSpeakers(speakers: unknown): Speakers | undefined {
  const { method, confidence } = (speakers ?? {}) as Partial<Speakers>
  const isValid = SPEAKER_METHODS.includes(method!) && isConfidence(confidence)
  return isValid ? { method: method!, confidence: confidence ?? null } : undefined
}

const parseTiming = (timing: unknown): Timing | null => TIMINGS.find((known) => known === timing) ?? null

/** Times of words, if every word of every segment has one. */
function parseWordTimes(words: unknown, segments: Segment[]): WordTimes[] | undefined {
  const isWord = (word: unknown) => {
    if (!Array.isArray(word) || word.length !== 3) return false
    return isNumber(word[0]) && isNumber(word[1]) && isConfidence(word[2])
  }
  const hasAllWords = (list: unknown, index: number) => isListOf(list, segments[index]!.text.split(' ').length, isWord)
  const isValid = Array.isArray(words) && words.length === segments.length && words.every(hasAllWords)
  return isValid ? (words as WordTimes[]) : undefined
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
