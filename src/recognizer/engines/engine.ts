import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { DecoderName, RecognizedWord, TimingPrecision } from '../contract.ts'

/** Describes an engine for /readyz and for transcripts. */
export interface EngineInfo {
  model: string
  version: string
  /** Numeric precision of the weights, such as int8. */
  precision: string
  language: string
  timing: TimingPrecision
}

/** Consecutive words of one channel, at least one. Times are seconds from the start of the channel. */
export interface RecognizedPiece {
  channel: number
  words: RecognizedWord[]
}

interface EngineProgress {
  /** The final pieces since the previous call. */
  pieces: RecognizedPiece[]
  /** Start, in seconds, of the first audio without text. Undefined if all has its text, or if the engine does not report it. */
  unreadFrom?: number | undefined
}

/** Chunks of a file. Each chunk has the next 16-bit samples of every channel, at the sample rate of the engine. */
type PcmChunks = AsyncIterable<Int16Array[]> | Iterable<Int16Array[]>

/** A model in the memory of one thread. It can recognize several files at once. */
export interface Engine {
  info: EngineInfo
  sampleRate: number
  /**
   * Recognizes a file and returns all pieces in order of time. Calls `onProgress` after each chunk. Settles only when no model
   * run for this file is in progress, because a thread that ends inside ONNX Runtime crashes the process.
   * @throws the reason of an aborted `signal`, or an error of `pcm` or of the model
   */
  transcribe(
    pcm: PcmChunks,
    decoder: DecoderName,
    onProgress: (progress: EngineProgress) => void,
    signal: AbortSignal,
  ): Promise<RecognizedPiece[]>
}

/** The configuration that worker threads receive. It contains no secrets. */
export type EngineConfig = Pick<Config, 'ASR_MODEL' | 'ASR_MODEL_HUB_URL' | 'DECODER' | 'modelsDir'>

/** Prepares and loads one kind of model. */
export interface EngineModule {
  /** Downloads missing model files and describes the engine. Runs once in the main thread, before any worker starts. */
  prepare(config: EngineConfig, log: Logger): Promise<EngineInfo>
  /** Returns true if the language model is missing, so that beam_search uses only the audio. */
  lacksLanguageModel?(config: EngineConfig): boolean
  load(config: EngineConfig): Promise<Engine>
}

/** Compares two pieces by the start of the first word, then by channel. */
export const compareSpeechPiecesByTime = (a: RecognizedPiece, b: RecognizedPiece): number =>
  a.words[0]!.start - b.words[0]!.start || a.channel - b.channel
