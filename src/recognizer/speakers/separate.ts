import { extractFeatures, type VoiceFeatures } from './features.ts'
import { groupWords } from './phrases.ts'
import type { SpeakerDivision } from './refine.ts'
import { searchDivisions } from './search.ts'
import { collectFrameIndices, selectGroups, selectSpeechFrames, type SpeechFrames } from './speech-frames.ts'
import { findAudibleSections } from './speech-activity.ts'
import type { TimeSpan } from './time-span.ts'
import { gatherTwoSpeakerEvidence, measureAgreement, type TwoSpeakerEvidence } from './validate.ts'

export type { TimeSpan }

/** Consecutive words of one speaker. Times are seconds, `confidence` is from 0 to 1. */
export interface SpeakerPhrase extends TimeSpan {
  speaker: 0 | 1
  confidence: number
}

/** The result. voices: two speakers were found, and the phrases cover all words; none: not separated, without phrases. */
export interface SpeakerSeparation {
  method: 'voices' | 'none'
  /** Confidence in the separation, from 0 to 1. Null if the method is none. */
  confidence: number | null
  phrases: SpeakerPhrase[]
}

const NOT_SEPARATED: SpeakerSeparation = { method: 'none', confidence: null, phrases: [] }
/** With fewer groups of words, speakers are not separated. */
const MIN_GROUPS = 6
const STARTS = { ofCall: 24, ofSpeaker: 8 }
/** We assume two speakers if all evidence reaches these values. */
const MIN_EVIDENCE_OF_TWO: TwoSpeakerEvidence = { agreement: 0.9, reproduced: 0.9, consistency: 0.3 }
/** We assume a third person if dividing one speaker's words gives evidence that reaches these values. */
const MIN_EVIDENCE_OF_THIRD: TwoSpeakerEvidence = { agreement: 0.8, reproduced: 0.91, consistency: 0.45 }
/** A third person speaks at least this long. Less can be a laugh or a noise. */
const MIN_SECONDS_OF_THIRD = 5
/** Evidence that gives the highest confidence. */
const FULL_EVIDENCE: TwoSpeakerEvidence = { agreement: 0.97, reproduced: 0.97, consistency: 0.5 }
/** Confidence of a separation with the least accepted evidence, and with full evidence. */
const CONFIDENCE = { least: 0.7, most: 0.98 }
/** Divisions that agree with the best one in at least this share of the speech are averaged with it. */
const MIN_VOTER_AGREEMENT = 0.9

/**
 * Finds which of two speakers says each word of one channel. The same input gives the same result.
 * @param audio samples from -1 to 1 in blocks, from the beginning of the channel
 * @param speech sections with speech, in order
 * @param words the times of the words, in order; phrases end only between words
 * @throws the reason of `signal` if it is aborted
 */
export async function separateSpeakers(
  audio: { samples: AsyncIterable<Float32Array> | Iterable<Float32Array>; sampleRate: 8000 | 16000 },
  speech: TimeSpan[],
  words: TimeSpan[],
  signal: AbortSignal,
): Promise<SpeakerSeparation> {
  if (words.length < MIN_GROUPS) return NOT_SEPARATED
  const features = await extractFeatures(audio, words.at(-1)!.end, signal)
  const audible = findAudibleSections(features, speech)
  const groups = groupWords(words, audible)
  if (groups.length < MIN_GROUPS) return NOT_SEPARATED
  const frames = selectSpeechFrames(features, groups, audible)
  const divisions = await searchDivisions(features, frames, STARTS.ofCall, signal)
  if (divisions.length === 0) return NOT_SEPARATED
  const evidence = await gatherTwoSpeakerEvidence(divisions, frames, signal)
  if (!reaches(evidence, MIN_EVIDENCE_OF_TWO)) return NOT_SEPARATED
  for (const speaker of [0, 1])
    if (await isTwoPeople(features, frames, divisions[0]!, speaker, signal)) return NOT_SEPARATED
  const confidence = computeConfidence(evidence)
  return { method: 'voices', confidence, phrases: makePhrases(averageDivisions(divisions, frames), frames, confidence) }
}

const reaches = (evidence: TwoSpeakerEvidence, least: TwoSpeakerEvidence): boolean =>
  evidence.agreement >= least.agreement &&
  evidence.reproduced >= least.reproduced &&
  evidence.consistency >= least.consistency

/** Returns true if the words of one of the two speakers can be divided like those of two people. */
async function isTwoPeople(
  features: VoiceFeatures,
  frames: SpeechFrames,
  { labels }: SpeakerDivision,
  speaker: number,
  signal: AbortSignal,
): Promise<boolean> {
  const own = selectGroups(frames, (group) => labels[group] === speaker)
  if (own.groups.length < MIN_GROUPS) return false
  const divisions = await searchDivisions(features, own, STARTS.ofSpeaker, signal)
  if (divisions.length === 0) return false
  const shares = [0, 1].map((part) => collectFrameIndices(own, (group) => divisions[0]!.labels[group] === part).length)
  if (Math.min(...shares) < MIN_SECONDS_OF_THIRD * own.rate) return false
  return reaches(await gatherTwoSpeakerEvidence(divisions, own, signal), MIN_EVIDENCE_OF_THIRD)
}

/** Computes the confidence, which rises with the weakest of the three signs. */
function computeConfidence(evidence: TwoSpeakerEvidence): number {
  const shares = (['agreement', 'reproduced', 'consistency'] as const).map((key) => {
    const least = MIN_EVIDENCE_OF_TWO[key]
    return Math.min(1, (evidence[key] - least) / (FULL_EVIDENCE[key] - least))
  })
  return CONFIDENCE.least + (CONFIDENCE.most - CONFIDENCE.least) * Math.min(...shares)
}

/** Returns the mean probability of speaker 1 for each group, over the best division and those that agree with it. */
function averageDivisions([best, ...others]: SpeakerDivision[], frames: SpeechFrames): Float64Array {
  const mean = best!.probabilities.slice()
  let count = 1
  for (const { labels, probabilities } of others) {
    if (measureAgreement(best!.labels, labels, frames) < MIN_VOTER_AGREEMENT) continue
    const isSwapped = labels.filter((label, group) => label === best!.labels[group]).length < labels.length / 2
    for (let group = 0; group < mean.length; group++)
      mean[group]! += isSwapped ? 1 - probabilities[group]! : probabilities[group]!
    count++
  }
  return mean.map((sum) => sum / count)
}

function makePhrases(probabilities: Float64Array, { groups }: SpeechFrames, most: number): SpeakerPhrase[] {
  return groups.map(({ start, end }, n) => {
    const probability = probabilities[n]!
    return { start, end, speaker: probability > 0.5 ? 1 : 0, confidence: most * Math.max(probability, 1 - probability) }
  })
}
