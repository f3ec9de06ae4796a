/** The recognizer's HTTP responses, and the messages between its threads. */

export const DECODERS = ['greedy', 'beam_search'] as const
export type Decoder = (typeof DECODERS)[number]

/** `start` and `end` in seconds; `confidence` from 0 to 1, null if the model does not return it. */
export interface Word {
  start: number
  end: number
  text: string
  confidence: number | null
}

/** A word with its time and confidence. */
export interface RecognizedWord extends Word {
  /** Probabilities of its tokens, punctuation included; the confidence of a segment is their mean. */
  tokens?: number[]
}

/** A sentence or phrase of channel 0 or 1. Only the segments of results have speakers. */
export interface Segment extends Word {
  channel: number
  speaker?: 0 | 1 | null
  /** From 0 to 1; null without a speaker. */
  speakerConfidence?: number | null
}

/** channels: each channel has one speaker; voices: told apart on one channel; none: not told apart. */
export interface Speakers {
  method: 'channels' | 'voices' | 'none'
  /** From 0 to 1; null if the speakers are not told apart. */
  confidence: number | null
}

/** exact: from the model's frames; estimated: from its attention. */
export type Timing = 'exact' | 'estimated'

/** Times and confidence of each word of a segment, whose text is split at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/** What was measured on the channels of a file. */
export interface AudioStats {
  channels: number
  speechSeconds: number[]
  silent: boolean[]
  /** Whether both channels are the same audio, so that only one was recognized. */
  identical: boolean
  /** Whether a channel exceeds the range of the recording. */
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

/** `durationSeconds` is the decoded length; `peaks` has at most 1000 values (0–100) per channel. */
export interface RecognitionResult {
  transcript: Transcript
  durationSeconds: number
  peaks?: number[][]
  words: WordTimes[]
  audio: AudioStats
  speakers: Speakers
}

/** The segments of a transcript, cut where the speaker changes, with the times of their words. */
export interface SeparationResult {
  segments: Segment[]
  words: WordTimes[]
  speakers: Speakers
  /** Of a file with one channel. */
  audio?: AudioStats
}

/** `totalSeconds` is null until the length is known; `segments` are those since the last progress. */
export interface RecognitionProgress {
  processedSeconds: number
  totalSeconds: number | null
  segments?: Segment[]
}

/** UNSUPPORTED_AUDIO and AUDIO_TOO_LONG are permanent; INTERNAL is retryable; UNAVAILABLE does not concern the file. */
type ErrorCode = 'UNSUPPORTED_AUDIO' | 'AUDIO_TOO_LONG' | 'INTERNAL' | 'UNAVAILABLE'

/** The message is for people and contains no paths. */
export class RecognitionError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A file to recognize. */
export interface RecognitionTask {
  file: string
  decoder: Decoder
  /** Whether the speakers on one channel are told apart. */
  separateSpeakers?: boolean
}

/** A transcribed file whose speakers are told apart. */
export interface SeparationTask {
  file: string
  segments: Segment[]
  words: WordTimes[]
}

export type WorkerTask = RecognitionTask | SeparationTask
export type WorkerResult<T extends WorkerTask = WorkerTask> = T extends SeparationTask
  ? SeparationResult
  : RecognitionResult

/** To a worker thread; `id` identifies one of its files. */
export type WorkerRequest =
  | ({ type: 'transcribe'; id: number } & RecognitionTask)
  | ({ type: 'separate'; id: number } & SeparationTask)
  | { type: 'abort'; id: number }

/** From a worker thread; the last three end the file. */
export type WorkerMessage = { type: 'ready' } | ({ id: number } & TaskMessage)

type TaskMessage =
  | ({ type: 'progress' } & RecognitionProgress)
  | ({ type: 'result' } & WorkerResult)
  | { type: 'error'; code: ErrorCode; message: string; stack?: string | undefined }
  | { type: 'aborted' }
