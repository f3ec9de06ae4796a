import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { measureConsistency } from './consistency.ts'
import { createRandom } from './random.ts'
import type { Division } from './refine.ts'
import { SpeakerModels } from './speaker-models.ts'
import { countFrames, type SpeechFrames } from './speech-frames.ts'

const TRAINING_ROUNDS = 8
const FOLDS = 4
const MIN_STRETCHES = 2 * FOLDS
/** A division that is less consistent than the best by this much counts 1 / e. */
const CONSISTENCY_SCALE = 0.05

/** Signs that two people speak; each is from about 0 (chance) to 1. */
export interface Evidence {
  /** Share of speech in which divisions from other starts agree with the best. */
  agreement: number
  /** Share of speech that keeps its label by models of the rest of the call. */
  reproduced: number
  /** Consistency of the models on speech that they were not trained on; see measureConsistency(). */
  consistency: number
}

/**
 * Judges the best of divisions by the others, and by cross-validation.
 * @param divisions at least one, the most consistent first
 * @throws the reason of `signal` if it is aborted
 */
export async function gatherEvidence(
  divisions: Division[],
  frames: SpeechFrames,
  signal: AbortSignal,
): Promise<Evidence> {
  const [best, ...others] = divisions as [Division, ...Division[]]
  let [weights, sum] = [0, 0]
  for (const { labels, consistency } of others) {
    const weight = Math.exp((consistency - best.consistency) / CONSISTENCY_SCALE)
    weights += weight
    sum += weight * measureAgreement(best.labels, labels, frames)
  }
  return { agreement: weights > 0 ? sum / weights : 0, ...(await crossValidate(best, frames, signal)) }
}

/** Share of speech with the same label; which speaker is 0 does not matter. */
export function measureAgreement(a: Int8Array, b: Int8Array, frames: SpeechFrames): number {
  let same = 0
  for (const group of frames.groups.keys()) if (a[group] === b[group]) same += countFrames(frames, group)
  const share = same / frames.numbers.length
  return Math.max(share, 1 - share)
}

/** Judges each quarter of the speech by models of the other three (stretches between pauses). */
async function crossValidate(
  { labels }: Division,
  frames: SpeechFrames,
  signal: AbortSignal,
): Promise<Omit<Evidence, 'agreement'>> {
  const folds = assignFolds(frames, labels)
  const ratios = new Float32Array(frames.numbers.length)
  let kept = 0
  for (let fold = 0; fold < FOLDS; fold++) {
    signal.throwIfAborted()
    if (shouldYield()) await yieldToEventLoop()
    const known = labels.map((label, group) => (folds[group] === fold ? -1 : label))
    const models = SpeakerModels.fit(frames, known, TRAINING_ROUNDS, createRandom(fold + 1))
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
 * Deals the stretches between pauses to the folds, those of each speaker in turns. If a speaker has too few, deals the groups:
 * each fold must leave some speech to train on.
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
