import type { Decoder, HeardWord } from '../../contract.ts'

/** A window of speech (-1 to 1, 16,000 samples a second, up to about half a minute). */
export interface SpeechWindow {
  samples: Float32Array
  /** Seconds of it that are certainly speech. */
  speech: number
}

/** The words of a window; times in seconds from its start. Empty if it holds none. */
export type WindowText = HeardWord[]

export interface Row extends SpeechWindow {
  decoder: Decoder
  signal: AbortSignal
}
