import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { extractFeatures } from './features.ts'
import { groupWords, type WordGroup } from './phrases.ts'
import { createRandom } from './random.ts'
import { refineDivision, sumRatios, type Division } from './refine.ts'
import { selectSpeechFrames, type SpeechFrames } from './speech-frames.ts'
import { clusterInTwo, computeSpectra } from './starts.ts'

/** A part of the audio, in seconds. */
export interface TimeSpan {
  start: number
  end: number
}

/** Consecutive words of one speaker; `confidence` from 0 to 1. */
export interface SpeakerPhrase extends TimeSpan {
  speaker: 0 | 1
  confidence: number
}

/** voices: two speakers were found, and the phrases cover all words; none: not separated, without phrases. */
export interface SpeakerSeparation {
  method: 'voices' | 'none'
  /** How sure the separation is, 0 to 1; null where the method is none. */
  confidence: number | null
  phrases: SpeakerPhrase[]
}

const NOT_SEPARATED: SpeakerSeparation = { method: 'none', confidence: null, phrases: [] }
const STARTS = 8
/** A consistency that only correct divisions reach: no more starts are tried. */
const CERTAIN_CONSISTENCY = 0.85
const MIN_CONSISTENCY = 0.45
const MIN_GROUPS = 6

/**
 * Finds who of two speakers says each word of one channel. The result is the same for the same input.
 * @param audio samples from -1 to 1 in blocks, from the beginning of the channel
 * @param speech sections with speech, in order
 * @param words the times of the words, in order: a phrase ends only between two of them
 * @throws the reason of `signal` if it is aborted
 */
export async function separateSpeakers(
  audio: { samples: AsyncIterable<Float32Array> | Iterable<Float32Array>; sampleRate: 8000 | 16000 },
  speech: TimeSpan[],
  words: TimeSpan[],
  signal: AbortSignal,
): Promise<SpeakerSeparation> {
  const groups = groupWords(words, speech)
  if (groups.length < MIN_GROUPS) return NOT_SEPARATED
  const features = await extractFeatures(audio, groups.at(-1)!.end, signal)
  const frames = selectSpeechFrames(features, groups, speech)
  const spectra = computeSpectra(features, frames)
  const weights = groups.map((_, n) => frames.offsets[n + 1]! - frames.offsets[n]!)
  let best: Division | undefined
  for (let seed = 1; seed <= STARTS; seed++) {
    signal.throwIfAborted()
    if (shouldYield()) await yieldToEventLoop()
    const random = createRandom(seed)
    const division = refineDivision(clusterInTwo(spectra, weights, random), frames, groups, random)
    if (division && division.consistency > (best?.consistency ?? MIN_CONSISTENCY)) best = division
    if (best && best.consistency > CERTAIN_CONSISTENCY) break
  }
  if (!best) return NOT_SEPARATED
  const confidence = Math.min(1, best.consistency)
  return { method: 'voices', confidence, phrases: makePhrases(best, groups, frames, confidence) }
}

function makePhrases(
  division: Division,
  groups: WordGroup[],
  { offsets }: SpeechFrames,
  most: number,
): SpeakerPhrase[] {
  return groups.map(({ start, end }, n) => {
    const ratio = sumRatios(division.ratios, offsets, n)
    const confidence = most / (1 + Math.exp(-Math.abs(ratio) / 10))
    return { start, end, speaker: division.labels[n] === 1 ? 1 : 0, confidence }
  })
}
