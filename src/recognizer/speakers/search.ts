import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import type { VoiceFeatures } from './features.ts'
import { createSeededRandom } from './random.ts'
import { refineDivision, type SpeakerDivision } from './refine.ts'
import { countFrames, type SpeechFrames } from './speech-frames.ts'
import { clusterInTwo, computeGroupVectors } from './starts.ts'
import { measureAgreement } from './validate.ts'

/** Number of starts before a search can end early: one for each description of the groups. */
const MIN_STARTS = 4
/** If the best divisions agree this much and the best one is this consistent, more starts do not improve the result. */
const CERTAIN = { agreement: 0.98, consistency: 0.5 }

/**
 * Searches for the most consistent division between two speakers, from up to `maxStarts` starts.
 * @returns the divisions found, the most consistent first
 * @throws the reason of `signal` if it is aborted
 */
export async function searchDivisions(
  features: VoiceFeatures,
  frames: SpeechFrames,
  maxStarts: number,
  signal: AbortSignal,
): Promise<SpeakerDivision[]> {
  const descriptions = computeGroupVectors(features, frames)
  const weights = frames.groups.map((_, group) => countFrames(frames, group))
  const divisions: SpeakerDivision[] = []
  for (let start = 0; start < maxStarts; start++) {
    const random = createSeededRandom(start + 1)
    const labels = clusterInTwo(descriptions[start % descriptions.length]!, weights, random)
    const division = await refineDivision(labels, frames, random, signal)
    if (division) divisions.push(division)
    divisions.sort((a, b) => b.consistency - a.consistency)
    if (start + 1 >= MIN_STARTS && isCertain(divisions, frames)) break
    if (shouldYield()) await yieldToEventLoop()
  }
  return divisions
}

/** Returns true if the three most consistent divisions agree and the first of them is consistent. */
function isCertain(divisions: SpeakerDivision[], frames: SpeechFrames): boolean {
  const [best, ...others] = divisions.slice(0, MIN_STARTS - 1)
  if (!best || others.length < MIN_STARTS - 2 || best.consistency < CERTAIN.consistency) return false
  return others.every(({ labels }) => measureAgreement(best.labels, labels, frames) >= CERTAIN.agreement)
}
