import type { DecoderName, RecognizedWord } from '../../contract.ts'

/** A window of speech of up to about half a minute. Samples are from -1 to 1 at 16,000 samples per second. */
export interface SpeechWindow {
  samples: Float32Array
  /** Seconds that are certainly speech. */
  speech: number
}

/** The words of a window, with times in seconds from its start. Empty if the window has no words. */
export type SpeechWindowText = RecognizedWord[]

/** A window of speech with the decoder and the abort signal of its file. */
export interface SpeechWindowRow extends SpeechWindow {
  decoder: DecoderName
  signal: AbortSignal
}
