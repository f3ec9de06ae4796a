/** Types of the recognizer's HTTP responses and of the messages between its threads. */

export const DECODER_NAMES = ['greedy', 'beam_search'] as const
export type DecoderName = (typeof DECODER_NAMES)[number]

/**
 * A piece of text with its time. `start` and `end` are seconds from the start of the audio. `confidence` is from 0 to 1, or null
 * if the model returns none.
 */
export interface TimedWord {
  start: number
  end: number
  text: string
  confidence: number | null
}

/** A word that an engine returns, before words are grouped into segments. */
export interface RecognizedWord extends TimedWord {
  /** Probabilities of the word's tokens including punctuation. The mean over all words is the confidence of a segment. */
  tokens?: number[]
}

/** A sentence or phrase of channel 0 or 1. Segments of progress lines have no speakers. */
export interface TranscriptSegment extends TimedWord {
  channel: number
  speaker?: 0 | 1 | null
  /** From 0 to 1. Null if the speaker is unknown. */
  speakerConfidence?: number | null
}

/** How the speakers were found. channels: one per channel; voices: by voice on one channel; none: not separated. */
export interface Speakers {
  method: 'channels' | 'voices' | 'none'
  /** From 0 to 1; null if the speakers are not separated. */
  confidence: number | null
}

/**
 * exact: word times come from the model's frames.
 * estimated: word times come from the model's attention.
 */
export type TimingPrecision = 'exact' | 'estimated'

/** Times in seconds and confidence of each word of one segment. Words are the text of the segment split at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/** Measurements of the decoded audio of a file. `speechSeconds` and `silent` have one value per channel. */
export interface AudioStats {
  channels: number
  speechSeconds: number[]
  silent: boolean[]
  /** True if both channels carry the same audio, so that only one was recognized. */
  identical: boolean
  /** True if a channel was recorded so loudly that its peaks are cut off. */
  clipped: boolean
}

/** The text of a file. `text` joins the texts of the segments with line breaks, in order of `start`. */
export interface RecognitionTranscript {
  text: string
  model: string
  decoder: DecoderName
  language: string
  timing: TimingPrecision
  segments: TranscriptSegment[]
}

/**
 * The result of a file. `durationSeconds` is the decoded length. `peaks` has at most 1000 values from 0 to 100 per recognized
 * channel. `words` has an entry per segment.
 */
export interface RecognitionResult {
  transcript: RecognitionTranscript
  durationSeconds: number
  peaks?: number[][]
  words: WordTimes[]
  audio: AudioStats
  speakers: Speakers
}

/** The segments of a transcript with speakers, cut where the speaker changes, and the times of their words. */
export interface SeparationResult {
  segments: TranscriptSegment[]
  words: WordTimes[]
  speakers: Speakers
  /** Missing if no voices were compared, for example because each channel has one speaker. */
  audio?: AudioStats
}

/**
 * The progress of a file. `totalSeconds` is null until the length is known. `segments` has only the segments found since the
 * previous progress.
 */
export interface RecognitionProgress {
  processedSeconds: number
  totalSeconds: number | null
  segments?: TranscriptSegment[]
}

/** UNSUPPORTED_AUDIO and AUDIO_TOO_LONG are permanent. INTERNAL can be retried. UNAVAILABLE is not caused by the file. */
type ErrorCode = 'UNSUPPORTED_AUDIO' | 'AUDIO_TOO_LONG' | 'INTERNAL' | 'UNAVAILABLE'

/** A failed recognition. The message is shown to people and contains no paths. */
export class RecognitionError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A file to recognize, with the path of the audio. */
export interface RecognitionTask {
  file: string
  decoder: DecoderName
  /** True to separate the speakers on one channel. */
  separateSpeakers?: boolean
}

/** A transcribed file whose speakers the recognizer shall separate. */
export interface SeparationTask {
  file: string
  segments: TranscriptSegment[]
  words: WordTimes[]
}

export type WorkerTask = RecognitionTask | SeparationTask
export type WorkerResult<T extends WorkerTask = WorkerTask> = T extends SeparationTask
  ? SeparationResult
  : RecognitionResult

/** A message to a worker thread. `id` identifies the file in further messages. */
export type RecognizerWorkerRequest =
  | ({ type: 'transcribe'; id: number } & RecognitionTask)
  | ({ type: 'separate'; id: number } & SeparationTask)
  | { type: 'abort'; id: number }

/** A message from a worker thread. `result`, `error` and `aborted` end the file with that `id`. */
export type RecognizerWorkerMessage = { type: 'ready' } | ({ id: number } & TaskMessage)

type TaskMessage =
  | ({ type: 'progress' } & RecognitionProgress)
  | ({ type: 'result' } & WorkerResult)
  | { type: 'error'; code: ErrorCode; message: string; stack?: string | undefined }
  | { type: 'aborted' }
