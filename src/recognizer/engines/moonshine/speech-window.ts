import type { DecoderName, RecognizedWord } from '../../contract.ts'

/** A window of up to about 20 seconds of speech. Samples are from -1 to 1 at 16,000 samples per second. */
export interface SpeechWindow {
  samples: Float32Array
  /** Seconds of detected speech in the window. */
  speech: number
}

/** The words of a window, with times in seconds from its start. Empty if the window has no words. */
export type SpeechWindowText = RecognizedWord[]

/** A window of speech with the decoder and the abort signal of its file. */
export interface SpeechWindowRow extends SpeechWindow {
  decoder: DecoderName
  signal: AbortSignal
}
