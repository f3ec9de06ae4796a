import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { measureConsistency } from './consistency.ts'
import { SpeakerModels, inferGroupSpeakers } from './speaker-models.ts'
import type { SpeechFrames } from './speech-frames.ts'

const ROUNDS = 8
const MIN_ROUNDS = 3
/** Rounds of training before the first new labels, and before later ones. */
const TRAINING = { first: 6, later: 2 }

/** A division of the word groups between two speakers. */
export interface SpeakerDivision {
  /** Speaker of each group. */
  labels: Int8Array
  /** Probability that speaker 1 says each group. */
  probabilities: Float64Array
  /** See measureConsistency(). */
  consistency: number
}

/**
 * Improves labels: trains a model of each speaker, computes new labels with the models, and repeats both steps.
 * @returns undefined if a speaker has too little speech
 * @throws the reason of an aborted `signal`
 */
export async function refineDivision(
  start: Int8Array,
  frames: SpeechFrames,
  random: () => number,
  signal: AbortSignal,
): Promise<SpeakerDivision | undefined> {
  const models = SpeakerModels.fit(frames, start, TRAINING.first, random)
  if (!models) return undefined
  const ratios = new Float32Array(frames.numbers.length)
  let labels = start
  for (let round = 1; ; round++) {
    signal.throwIfAborted()
    if (shouldYield()) await yieldToEventLoop()
    for (let n = 0; n < ratios.length; n++) ratios[n] = models.compare(n)
    const probabilities = inferGroupSpeakers(ratios, frames)
    const next = Int8Array.from(probabilities, (probability) => Number(probability > 0.5))
    const isStable = next.every((label, n) => label === labels[n])
    labels = next
    if (round === ROUNDS || (isStable && round > MIN_ROUNDS))
      return { labels, probabilities, consistency: measureConsistency(ratios, frames) }
    if (!models.retrain(labels, TRAINING.later)) return undefined
  }
}
