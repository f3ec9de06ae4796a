import type { Config } from '../../config.ts'
import type { Logger } from '../../lib/log.ts'
import type { Decoder } from '../contract.ts'

/** What /readyz and the transcripts say about an engine. */
export interface EngineInfo {
  /** The value of ASR_MODEL. */
  model: string
  version: string
  /** Computation precision, such as int8. */
  precision: string
  /** Language of the texts, such as en. */
  language: string
}

/** A recognised stretch of one channel; times in seconds from the first sample. */
export interface Piece {
  start: number
  end: number
  text: string
}

/** One channel on its way through an engine; its memory does not grow with the length of the channel. */
export interface Recognition {
  /** Takes the next samples (16-bit, at the engine's rate) and returns the pieces that became final with them. */
  accept(samples: Int16Array): Promise<Piece[]>
  /** Ends the channel and returns the rest of it. */
  finish(): Promise<Piece[]>
}

/** A loaded model, used for one file at a time. */
export interface Engine {
  info: EngineInfo
  /** Samples per second that its recognitions take. */
  sampleRate: number
  /** Begins a channel. An aborted signal makes `accept` and `finish` throw soon. */
  recognise(decoder: Decoder, signal: AbortSignal): Recognition
}

/** The part of the configuration that worker threads are given; it holds no secrets. */
export type EngineConfig = Pick<Config, 'ASR_MODEL' | 'ASR_MODEL_HUB_URL' | 'DECODER' | 'modelsDir'>

/** A file of src/asr/engines. */
export interface EngineModule {
  /** Runs once, in the main thread, before any worker starts: fetches or checks the model's files. */
  prepare(config: EngineConfig, log: Logger): Promise<EngineInfo>
  /** Of an engine that searches with a language model: whether it is not here, so that beam_search goes by the sound alone. */
  lacksLanguageModel?(config: EngineConfig): boolean
  /** Runs in every worker thread: loads the model into memory. */
  load(config: EngineConfig): Promise<Engine>
}
