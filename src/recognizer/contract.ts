/** The shapes that cross the recognizer's borders: its HTTP answers, and the messages between its threads. */

export const DECODERS = ['greedy', 'beam_search'] as const
export type Decoder = (typeof DECODERS)[number]

/** A word as it was said, `start` and `end` in seconds; `confidence` 0 to 1, null where the model does not tell it. */
export interface Word {
  start: number
  end: number
  text: string
  confidence: number | null
}

/** A word as an engine tells it. */
export interface HeardWord extends Word {
  /** Probabilities of its tokens, those of its punctuation too; a segment is as sure as all of them on average. */
  tokens?: number[]
}

/** A sentence or a phrase: `start` and `end` in seconds from the beginning of the file, `channel` 0 or 1. */
export interface Segment extends Word {
  channel: number
}

/** exact: read from the model's frames; estimated: from what it listened to. */
export type Timing = 'exact' | 'estimated'

/** Start, end and confidence of each word of a segment; its words are its text, parted at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/** What the channels of a file hold. */
export interface AudioFacts {
  channels: number
  speechSeconds: number[]
  /** Which channels hold no sound at all. */
  silent: boolean[]
  /** Whether both channels are the same audio, so that one of them was recognised. */
  identical: boolean
  /** Whether the audio of a channel goes beyond what the recording could hold. */
  clipped: boolean
}

/** `text` is the segments' texts joined by line breaks, in order of `start`. */
export interface Transcript {
  text: string
  model: string
  decoder: Decoder
  language: string
  timing: Timing
  segments: Segment[]
}

/**
 * `durationSeconds` is what was really decoded, whatever the file's header says. `peaks` has at most 1000 of the
 * loudest moments (0–100) for each channel of the transcript.
 */
export interface Result {
  transcript: Transcript
  durationSeconds: number
  peaks?: number[][]
  /** Words of each segment of the transcript. */
  words: WordTimes[]
  audio: AudioFacts
}

/** `totalSeconds` is null until the length of the file is known; `segments` are those understood since the last one. */
export interface Progress {
  processedSeconds: number
  totalSeconds: number | null
  segments?: Segment[]
}

/**
 * UNSUPPORTED_AUDIO and AUDIO_TOO_LONG stay true on a second attempt; INTERNAL may not; UNAVAILABLE says nothing of the
 * file, only that the recognizer stops or cannot work now.
 */
export type ErrorCode = 'UNSUPPORTED_AUDIO' | 'AUDIO_TOO_LONG' | 'INTERNAL' | 'UNAVAILABLE'

/** A failed recognition. The message is for people: what happened and what to do; it holds no paths. */
export class RecognitionError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** One file for a worker thread. */
export interface Task {
  file: string
  decoder: Decoder
}

/** To a worker thread; `id` names a file among those that it has in work. */
export type ToWorker = ({ type: 'transcribe'; id: number } & Task) | { type: 'abort'; id: number }

/** From a worker thread, about one of its files; the last three end it. */
export type FromWorker = { type: 'ready' } | ({ id: number } & ToldOfFile)

type ToldOfFile =
  | ({ type: 'progress' } & Progress)
  | ({ type: 'result' } & Result)
  | { type: 'error'; code: ErrorCode; message: string; stack?: string | undefined }
  | { type: 'aborted' }
