import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailed, NotReady } from '../../platform/queue/queue.ts'
import type { AudioError, AudioFacts, Decoder } from '../recordings/entity.ts'
import { TIMINGS, type Segment, type Timing, type WordTimes } from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
import { networkError } from '../../platform/outbound/messages.ts'

/** The recognizer takes no work now. The attempt does not count. */
export class RecognizerUnavailable extends NotReady {}

/** A recognition failed. With a code, no retry can help. */
export class RecognitionFailed extends JobFailed {
  readonly code: AudioError | undefined
  constructor(reason: Message, code?: AudioError) {
    super(reason, code !== undefined)
    this.code = code
  }
}

/** The connection broke in the middle of a recognition. */
export class ConnectionBroke extends RecognitionFailed {}

/** The recognizer crashed during a recognition, and other recognizers can take the call. */
export class RecognizerDied extends RecognizerUnavailable {
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

export interface Recognition {
  transcript: RecognizedTranscript
  durationSeconds: number
  /** The peaks of each channel, 0–100. */
  peaks?: number[][] | undefined
  /** Times of the words of each segment. */
  words?: WordTimes[] | undefined
  audio?: AudioFacts | undefined
}

/** The progress of a recognition: 0–100, and the length of the audio once it is known. */
interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type Line =
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
  heard: () => void
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
  onProgress: (progress: RecognitionProgress) => void
  /** Receives the new segments. */
  onSegments: (segments: Segment[]) => void
  signal: AbortSignal
}

type Listeners = Pick<RecognitionTask, 'onProgress' | 'onSegments'>

/**
 * Transcribes one audio file.
 * @throws RecognizerUnavailable, RecognitionFailed (ConnectionBroke if it had begun), or the signal's reason
 */
export async function recognize(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, signal, ...listeners }: RecognitionTask,
): Promise<Recognition> {
  // A connection of its own: one that was kept alive can be dead.
  const agent = new Agent({
    connect: { timeout: 5000 },
    headersTimeout: SILENCE_LIMIT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
  })
  let isBegun = false
  try {
    const either = AbortSignal.any([signal, recognizer.lost])
    const answer = await send(config, recognizer.url, agent, { audio, decoder, signal: either })
    return await readAnswer(answer, listeners, (begun) => {
      isBegun = begun
      recognizer.heard()
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RecognizerUnavailable || error instanceof RecognitionFailed) throw error
    const reason = transcriptionMessages.connectionBroke({ code: networkError(reasonOf(error)) })
    // A file that was not begun did not crash the recognizer.
    throw isBegun ? new ConnectionBroke(reason) : new RecognizerUnavailable(reason)
  } finally {
    audio.destroy()
    void agent.destroy()
  }
}

async function send(
  { ASR_API_KEY }: Config,
  url: string,
  dispatcher: Agent,
  { audio, decoder, signal }: Omit<RecognitionTask, keyof Listeners>,
): Promise<Dispatcher.ResponseData> {
  const query = decoder ? `?decoder=${decoder}` : ''
  const headers = { Authorization: `Bearer ${ASR_API_KEY}`, 'Content-Type': 'application/octet-stream' }
  const answer = await request(`${url}/transcribe${query}`, {
    method: 'POST',
    dispatcher,
    headers,
    body: audio,
    signal,
  }).catch((error: unknown) => {
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(reasonOf(error))) {
      throw new RecognizerUnavailable(transcriptionMessages.unreachable({ code: networkError(reasonOf(error)) }))
    }
    throw error
  })
  if (answer.statusCode === 503) throw new RecognizerUnavailable(transcriptionMessages.notReady())
  if (answer.statusCode === 401) throw new RecognizerUnavailable(transcriptionMessages.refusesKey())
  if (answer.statusCode !== 200)
    throw new RecognitionFailed(transcriptionMessages.answered({ status: answer.statusCode }))
  return answer
}

async function readAnswer(
  answer: Dispatcher.ResponseData,
  { onProgress, onSegments }: Listeners,
  onBegun: (isBegun: boolean) => void,
): Promise<Recognition> {
  let isBegun = true
  onBegun(isBegun)
  for await (const line of jsonLines(answer.body)) {
    if (line.type === 'result') return checkResult(line)
    if (line.type === 'error') {
      if (line.code === 'UNAVAILABLE')
        throw new RecognizerUnavailable(transcriptionMessages.unavailable({ said: line.message }))
      throw failedFor(line)
    }
    isBegun = line.waiting !== true
    onBegun(isBegun)
    if (line.segments) onSegments(segmentsOf(line.segments))
    if (line.totalSeconds) {
      const percent = Math.min(99, (100 * line.processedSeconds) / line.totalSeconds)
      onProgress({ percent, durationSeconds: line.totalSeconds })
    }
  }
  const reason = transcriptionMessages.noResult()
  throw isBegun ? new ConnectionBroke(reason) : new RecognizerUnavailable(reason)
}

function failedFor({ code, message: said }: { code: string; message: string }): RecognitionFailed {
  if (code === 'UNSUPPORTED_AUDIO') return new RecognitionFailed(transcriptionMessages.unsupportedAudio({ said }), code)
  if (code === 'AUDIO_TOO_LONG') return new RecognitionFailed(transcriptionMessages.audioTooLong({ said }), code)
  return new RecognitionFailed(transcriptionMessages.recognizerFailed({ said }))
}

/** Leaves out the parts of a result that are missing or invalid: the transcript is useful without them. */
function checkResult({ transcript, durationSeconds, peaks, words, audio }: Recognition): Recognition {
  const segments = segmentsOf(transcript.segments)
  return {
    transcript: { ...transcript, timing: timingOf(transcript.timing), segments },
    durationSeconds,
    peaks: peaksOf(peaks),
    words: wordsOf(words, segments),
    audio: audioFactsOf(audio),
  }
}

/** The result of the longest call, three hours of two people, takes half of this. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MAX_LINE_VALUES = 500_000
const MAX_STATE_BYTES = 64 * 1024

async function* jsonLines(body: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  for await (const line of readLines(body, MAX_LINE_BYTES)) yield parseJson(line, MAX_LINE_VALUES) as Line
}

function reasonOf(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}

/** The maximum number of peaks per channel; the recognizer sends about half as many. */
const MOST_PEAKS = 2000

const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isConfidence = (value: unknown) => value === null || (isNumber(value) && value <= 1)
const isListOf = (value: unknown, length: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(isOne)

/** The peaks of one or two channels, 0 to 100. */
function peaksOf(peaks: unknown): number[][] | undefined {
  const isPeak = (peak: unknown) => Number.isInteger(peak) && (peak as number) >= 0 && (peak as number) <= 100
  const isChannel = (list: unknown) => Array.isArray(list) && list.length <= MOST_PEAKS && list.every(isPeak)
  const isRight = Array.isArray(peaks) && (peaks.length === 1 || peaks.length === 2) && peaks.every(isChannel)
  return isRight ? (peaks as number[][]) : undefined
}

/** The segments with only the stored fields. */
const segmentsOf = (segments: Segment[]): Segment[] =>
  segments.map(({ start, end, channel, text, confidence }) => {
    return { start, end, channel, text, confidence: isConfidence(confidence) ? (confidence ?? null) : null }
  })

const timingOf = (timing: unknown): Timing | null => TIMINGS.find((known) => known === timing) ?? null

/** Times of words, if every word of every segment has one. */
function wordsOf(words: unknown, segments: Segment[]): WordTimes[] | undefined {
  const isWord = (word: unknown) => {
    if (!Array.isArray(word) || word.length !== 3) return false
    return isNumber(word[0]) && isNumber(word[1]) && isConfidence(word[2])
  }
  const fits = (list: unknown, index: number) => isListOf(list, segments[index]!.text.split(' ').length, isWord)
  const isRight = Array.isArray(words) && words.length === segments.length && words.every(fits)
  return isRight ? (words as WordTimes[]) : undefined
}

function audioFactsOf(audio: unknown): AudioFacts | undefined {
  const { channels, speechSeconds, silent, identical, clipped } = (audio ?? {}) as Partial<AudioFacts>
  if (channels !== 1 && channels !== 2) return undefined
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  const isRight =
    isListOf(speechSeconds, channels, isNumber) &&
    isListOf(silent, channels, isBoolean) &&
    isBoolean(identical) &&
    isBoolean(clipped)
  return isRight ? ({ channels, speechSeconds, silent, identical, clipped } as AudioFacts) : undefined
}
