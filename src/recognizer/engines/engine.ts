import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { Decoder, RecognizedWord, Timing } from '../contract.ts'

/** The fields of an engine in /readyz and the transcripts. */
export interface EngineInfo {
  model: string
  version: string
  /** Computation precision, such as int8. */
  precision: string
  language: string
  /** How it finds the times of words. */
  timing: Timing
}

/** Consecutive words of one channel; times in seconds from its first sample. Never empty. */
export interface SpeechPiece {
  channel: number
  words: RecognizedWord[]
}

interface EngineProgress {
  /** The final pieces since the last call. */
  pieces: SpeechPiece[]
  /** Start, in seconds, of the first audio whose text is still missing; undefined if there is none. */
  unreadFrom?: number | undefined
}

/** Chunks of a file: in each, the next 16-bit samples of every channel, at the engine's rate. */
type PcmChunks = AsyncIterable<Int16Array[]> | Iterable<Int16Array[]>

/** A model in the memory of one thread. It can have several files in work. */
export interface Engine {
  info: EngineInfo
  sampleRate: number
  /**
   * Recognizes a file; returns all pieces in order of time. Calls `onProgress` after every chunk. Settles only when no
   * run is in progress: a thread must not end inside of ONNX Runtime.
   * @throws the reason of an aborted `signal`, or an error of `pcm`
   */
  transcribe(
    pcm: PcmChunks,
    decoder: Decoder,
    onProgress: (progress: EngineProgress) => void,
    signal: AbortSignal,
  ): Promise<SpeechPiece[]>
}

/** The part of the configuration for worker threads; it contains no secrets. */
export type EngineConfig = Pick<Config, 'ASR_MODEL' | 'ASR_MODEL_HUB_URL' | 'DECODER' | 'modelsDir'>

/** How an engine is prepared and loaded. */
export interface EngineModule {
  /** Fetches or checks the files of the model. Runs once, in the main thread, before any worker starts. */
  prepare(config: EngineConfig, log: Logger): Promise<EngineInfo>
  /** Whether beam_search lacks its language model and only uses the audio. */
  lacksLanguageModel?(config: EngineConfig): boolean
  load(config: EngineConfig): Promise<Engine>
}

/** Orders pieces by time, then by channel. */
export const compareByTime = (a: SpeechPiece, b: SpeechPiece): number =>
  a.words[0]!.start - b.words[0]!.start || a.channel - b.channel
