import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { measureConsistency } from './consistency.ts'
import { createSeededRandom } from './random.ts'
import type { SpeakerDivision } from './refine.ts'
import { SpeakerModels } from './speaker-models.ts'
import { countFrames, type SpeechFrames } from './speech-frames.ts'

const TRAINING_ROUNDS = 8
const FOLDS = 4
const MIN_STRETCHES = 2 * FOLDS
/** A division whose consistency is this much lower than that of the best has the weight 1 / e. */
const CONSISTENCY_SCALE = 0.05

/** Signs that two people speak, up to 1. By chance, `agreement` and `reproduced` are about 0.5, `consistency` is about 0. */
export interface TwoSpeakerEvidence {
  /** Share of speech in which divisions from other starts agree with the best one. 0 if there are no others. */
  agreement: number
  /** Share of speech to which models of the rest of the call give the same label. */
  reproduced: number
  /** Consistency of the models on speech that they were not trained on; see measureConsistency(). */
  consistency: number
}

/**
 * Gathers the evidence for the best division, from the other divisions and by cross-validation.
 * @param divisions at least one, the most consistent first
 * @throws the reason of `signal` if it is aborted
 */
export async function gatherTwoSpeakerEvidence(
  divisions: SpeakerDivision[],
  frames: SpeechFrames,
  signal: AbortSignal,
): Promise<TwoSpeakerEvidence> {
  const [best, ...others] = divisions as [SpeakerDivision, ...SpeakerDivision[]]
  let [weights, sum] = [0, 0]
  for (const { labels, consistency } of others) {
    const weight = Math.exp((consistency - best.consistency) / CONSISTENCY_SCALE)
    weights += weight
    sum += weight * measureAgreement(best.labels, labels, frames)
  }
  return { agreement: weights > 0 ? sum / weights : 0, ...(await crossValidate(best, frames, signal)) }
}

/** Returns the share of speech with the same label, from 0.5 to 1. Swapped speakers count as the same labels. */
export function measureAgreement(a: Int8Array, b: Int8Array, frames: SpeechFrames): number {
  let same = 0
  for (const group of frames.groups.keys()) if (a[group] === b[group]) same += countFrames(frames, group)
  const share = same / frames.numbers.length
  return Math.max(share, 1 - share)
}

/** Labels each of FOLDS parts of the speech by models of the other parts, and compares the labels with the division. */
async function crossValidate(
  { labels }: SpeakerDivision,
  frames: SpeechFrames,
  signal: AbortSignal,
): Promise<Omit<TwoSpeakerEvidence, 'agreement'>> {
  const folds = assignFolds(frames, labels)
  const ratios = new Float32Array(frames.numbers.length)
  let kept = 0
  for (let fold = 0; fold < FOLDS; fold++) {
    signal.throwIfAborted()
    if (shouldYield()) await yieldToEventLoop()
    const known = labels.map((label, group) => (folds[group] === fold ? -1 : label))
    const models = SpeakerModels.fit(frames, known, TRAINING_ROUNDS, createSeededRandom(fold + 1))
    if (!models) return { reproduced: 0, consistency: 0 }
    for (const group of frames.groups.keys()) {
      if (folds[group] !== fold) continue
      let sum = 0
      for (let at = frames.offsets[group]!; at < frames.offsets[group + 1]!; at++)
        sum += ratios[at] = models.compare(at)
      if (Number(sum > 0) === labels[group]) kept += countFrames(frames, group)
    }
  }
  return { reproduced: kept / frames.numbers.length, consistency: measureConsistency(ratios, frames) }
}

/**
 * Distributes the stretches between pauses over the folds, those of each speaker in turns. If a speaker has too few stretches,
 * distributes the groups, because the models need speech of both speakers outside of each fold.
 */
function assignFolds({ groups }: SpeechFrames, labels: Int8Array): Int8Array {
  const stretches = groups.flatMap(({ afterPause }, group) => (afterPause ? [labels[group]!] : []))
  const hasFew = [0, 1].some((speaker) => stretches.filter((label) => label === speaker).length < MIN_STRETCHES)
  const counts = [0, 0]
  let fold = 0
  return Int8Array.from(groups, ({ afterPause }, group) => {
    if (afterPause || hasFew) fold = counts[labels[group]!]!++ % FOLDS
    return fold
  })
}
