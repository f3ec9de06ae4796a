import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { readLines, readText } from '../../platform/lib/read-text.ts'
import { JobFailed, NotReady } from '../../platform/queue/queue.ts'
import type { AudioError, AudioFacts, Decoder } from '../recordings/entity.ts'
import type { Segment, Timing, WordTimes } from '../transcripts/entity.ts'
import { transcriptionMessages } from './messages.ts'
import { audioFactsOf, peaksOf, segmentsOf, timingOf, wordsOf } from './result.ts'
import { networkError } from '../../platform/outbound/messages.ts'

/** The recognizer cannot take work at all now: nothing is wrong with the recording, and the attempt does not count. */
export class RecognizerUnavailable extends NotReady {}

/** A recognition failed. With a code no retry can mend it. */
export class RecognitionFailed extends JobFailed {
  readonly code: AudioError | undefined
  constructor(reason: Message, code?: AudioError) {
    super(reason, code !== undefined)
    this.code = code
  }
}

/** The connection broke in the middle of a recognition. */
export class ConnectionBroke extends RecognitionFailed {}

/** The recognizer died in the middle of a recognition, and others are there to take it over. */
export class RecognizerDied extends RecognizerUnavailable {
  constructor(address: string) {
    super(transcriptionMessages.recognizerDied({ address }), 0)
  }
}

export interface RecognizedTranscript {
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
  /** The loudest moments of each channel, 0–100, where the recognizer tells them. */
  peaks?: number[][] | undefined
  /** Times of each segment's words, where the recognizer tells them. */
  words?: WordTimes[] | undefined
  audio?: AudioFacts | undefined
}

/** How far a recognition is: 0–100, and the length of the audio once it is known. */
export interface RecognitionProgress {
  percent: number
  durationSeconds: number | null
}

type Line =
  | { type: 'progress'; processedSeconds: number; totalSeconds: number | null; waiting?: true; segments?: Segment[] }
  | ({ type: 'result' } & Recognition)
  | { type: 'error'; code: string; message: string }

/** The recognizer shows a sign of life every two seconds, also while a file waits for its turn. */
const SILENCE_LIMIT_MS = 60_000

/** What GET /readyz of the recognizer answers. */
export interface RecognizerState {
  status: 'ready' | 'loading' | 'failed'
  model: string
  version: string
  decoder: string
  precision: string
  /** Files in work, those that wait, and how many it works on at once; earlier releases do not tell the last. */
  queue?: { running: number; waiting: number; places?: number }
}

/** The one recognizer that a file is sent to. */
export interface ChosenRecognizer {
  url: string
  /** Aborted when it is given up for lost. */
  lost: AbortSignal
  /** Is called at every sign of life. */
  heard: () => void
}

/** The state of the recognizer at an address, or undefined when it does not answer within two seconds. */
export async function recognizerState(url: string): Promise<RecognizerState | undefined> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })
    const state = parseJson(await readText(body, MAX_STATE_BYTES)) as RecognizerState
    return statusCode === 200 ? state : undefined
  } catch {
    return undefined
  }
}

export interface RecognitionTask {
  audio: Readable
  decoder: Decoder | null
  onProgress: (progress: RecognitionProgress) => void
  /** Is given what was understood since the last time. */
  onSegments: (segments: Segment[]) => void
  signal: AbortSignal
}

type Listeners = Pick<RecognitionTask, 'onProgress' | 'onSegments'>

/**
 * Has a recognizer transcribe one audio file.
 * @throws RecognizerUnavailable, RecognitionFailed (ConnectionBroke where it had begun), or the signal's reason
 */
export async function recognize(
  config: Config,
  recognizer: ChosenRecognizer,
  { audio, decoder, signal, ...listeners }: RecognitionTask,
): Promise<Recognition> {
  // A connection of its own: one that was kept alive may be dead, and a broken one must not take others along.
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
    // Whatever ended the recognizer, a file that was not begun had no part in it.
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
  let isBegun = true // a recognizer of an earlier release does not tell
  onBegun(isBegun)
  for await (const line of jsonLines(answer.body)) {
    if (line.type === 'result') return checked(line)
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

/** What cannot be stored, and what an earlier release does not tell, is left out: a call without it is still a call. */
function checked({ transcript, durationSeconds, peaks, words, audio }: Recognition): Recognition {
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

/** The code of an error or of its cause, else its message. */
function reasonOf(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}
