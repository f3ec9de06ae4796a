import { COEFFICIENT_COUNT, FRAME_RATE, computeCepstrum, type Features } from './features.ts'
import type { WordGroup } from './phrases.ts'
import type { TimeSpan } from './separate.ts'

/** Every second frame is enough: neighbours overlap by two thirds. */
export const FRAME_STEP = 2

/** The frames with speech, group by group. */
export interface SpeechFrames {
  /** Number of each frame in the features. */
  numbers: Int32Array
  /** COEFFICIENT_COUNT cepstral coefficients a frame, each with mean 0 and variance 1 over the call. */
  cepstra: Float32Array
  /** The first frame of each group, and the number of frames at the end. */
  offsets: Int32Array
}

/** Takes the frames of word groups that lie in sections with speech. */
export function selectSpeechFrames(features: Features, groups: WordGroup[], speech: TimeSpan[]): SpeechFrames {
  const toFrame = (seconds: number) => Math.min(features.frameCount, Math.max(0, Math.round(seconds * FRAME_RATE)))
  const isSpeech = new Uint8Array(features.frameCount)
  for (const { start, end } of speech) isSpeech.fill(1, toFrame(start), toFrame(end))
  const numbers: number[] = []
  const offsets = [0]
  for (const { start, end } of groups) {
    const [from, to] = [toFrame(start), toFrame(end)]
    const hasSpeech = isSpeech.subarray(from, to).includes(1)
    for (let n = from; n < to; n++) if (n % FRAME_STEP === 0 && (isSpeech[n] || !hasSpeech)) numbers.push(n)
    offsets.push(numbers.length)
  }
  const cepstra = new Float32Array(numbers.length * COEFFICIENT_COUNT)
  for (const [at, number] of numbers.entries()) computeCepstrum(features, number, cepstra, at * COEFFICIENT_COUNT)
  normalize(cepstra)
  return { numbers: Int32Array.from(numbers), cepstra, offsets: Int32Array.from(offsets) }
}

/** Gives each coefficient mean 0 and variance 1. */
function normalize(cepstra: Float32Array): void {
  const count = cepstra.length / COEFFICIENT_COUNT
  for (let d = 0; d < COEFFICIENT_COUNT; d++) {
    let [sum, squares] = [0, 0]
    for (let at = d; at < cepstra.length; at += COEFFICIENT_COUNT) {
      sum += cepstra[at]!
      squares += cepstra[at]! ** 2
    }
    const mean = sum / count
    const deviation = Math.sqrt(Math.max(1e-6, squares / count - mean ** 2))
    for (let at = d; at < cepstra.length; at += COEFFICIENT_COUNT) cepstra[at] = (cepstra[at]! - mean) / deviation
  }
}
