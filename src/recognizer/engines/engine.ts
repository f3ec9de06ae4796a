import type { Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { Decoder, Timing, HeardWord } from '../contract.ts'

/** What /readyz and the transcripts say about an engine. */
export interface EngineInfo {
  /** The value of ASR_MODEL. */
  model: string
  version: string
  /** Computation precision, such as int8. */
  precision: string
  /** Language of the texts, such as en. */
  language: string
  /** How its times of words come about. */
  timing: Timing
}

/** Words of one channel said one after the other; times in seconds from the first sample. Never empty. */
export interface Piece {
  channel: number
  words: HeardWord[]
}

/** Brings pieces into the order in which they were said: they come as they are read, several at a time. */
export const byTime = (a: Piece, b: Piece): number => a.words[0]!.start - b.words[0]!.start || a.channel - b.channel

/** A file on its way through an engine, all of its channels; its memory does not grow with the length of the file. */
export interface Recognition {
  /** Takes the next samples of every channel (16-bit, at the engine's rate); returns pieces that became final since. */
  accept(channels: Int16Array[]): Promise<Piece[]>
  /** Ends the file and returns the rest of it. */
  finish(): Promise<Piece[]>
  /** Where the first audio lies that was taken and whose text is still to come; undefined where there is none. */
  unreadFrom(): number | undefined
  /** Resolves once nothing runs any more that began before: a thread must not be ended inside of ONNX Runtime. */
  settle(): Promise<void>
}

/** A loaded model of one thread, which may have several files in work. */
export interface Engine {
  info: EngineInfo
  /** Samples per second that its recognitions take. */
  sampleRate: number
  /** Begins a file. An aborted signal makes `accept` and `finish` throw once the run that it is in has ended. */
  recognise(decoder: Decoder, signal: AbortSignal, channels: number): Recognition
}

/** The part of the configuration that worker threads are given; it holds no secrets. */
export type EngineConfig = Pick<Config, 'ASR_MODEL' | 'ASR_MODEL_HUB_URL' | 'DECODER' | 'modelsDir'>

/** A file of src/recognizer/engines. */
export interface EngineModule {
  /** Runs once, in the main thread, before any worker starts: fetches or checks the model's files. */
  prepare(config: EngineConfig, log: Logger): Promise<EngineInfo>
  /** Of an engine that searches with a language model: whether it is not here, so that beam_search goes by the audio alone. */
  lacksLanguageModel?(config: EngineConfig): boolean
  /** Runs in every worker thread: loads the model into memory. */
  load(config: EngineConfig): Promise<Engine>
}
