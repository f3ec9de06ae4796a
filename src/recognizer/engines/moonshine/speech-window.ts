import type { Decoder, RecognizedWord } from '../../contract.ts'

/** A window of speech (-1 to 1, 16,000 samples per second, up to about half a minute). */
export interface SpeechWindow {
  samples: Float32Array
  /** Seconds of certain speech in it. */
  speech: number
}

/** The words of a window; times in seconds from its start. Empty without words. */
export type WindowText = RecognizedWord[]

/** A window to recognize, with the file's decoder. */
export interface WindowRow extends SpeechWindow {
  decoder: Decoder
  signal: AbortSignal
}
