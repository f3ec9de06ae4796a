import { VOICE_FRAME_RATE, computeLevels, type VoiceFeatures } from './features.ts'
import type { TimeSpan } from './time-span.ts'

/** The level that this share of all frames does not exceed: for the noise floor, and for loud speech. */
const SHARES = { floor: 0.05, peak: 0.95 }
/** Speech is at least this much louder than the floor. */
const ABOVE_FLOOR_DB = 4
/** Speech is at most `most` dB quieter than loud speech. Frames that are at most `least` dB quieter always count as speech. */
const BELOW_PEAK_DB = { most: 38, least: 20 }
/** A shorter gap is part of a word, such as before a "t". */
const MIN_GAP_FRAMES = 0.15 * VOICE_FRAME_RATE

/** Finds the audible parts of sections with speech. Times of recognized words often extend into the pauses around them. */
export function findAudibleSections(features: VoiceFeatures, speech: TimeSpan[]): TimeSpan[] {
  const levels = computeLevels(features)
  const threshold = chooseThreshold(levels)
  const sections: TimeSpan[] = []
  for (const { start, end } of speech) {
    const to = Math.min(levels.length, Math.round(end * VOICE_FRAME_RATE))
    let last = -Infinity
    for (let frame = Math.round(start * VOICE_FRAME_RATE); frame < to; frame++) {
      if (levels[frame]! < threshold) continue
      if (frame - last > MIN_GAP_FRAMES) sections.push({ start: frame / VOICE_FRAME_RATE, end: 0 })
      sections.at(-1)!.end = (frame + 1) / VOICE_FRAME_RATE
      last = frame
    }
  }
  return sections
}

function chooseThreshold(levels: Float32Array): number {
  const sorted = levels.toSorted()
  const levelAt = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
  const [floor, peak] = [levelAt(SHARES.floor), levelAt(SHARES.peak)]
  return Math.min(peak - BELOW_PEAK_DB.least, Math.max(floor + ABOVE_FLOOR_DB, peak - BELOW_PEAK_DB.most))
}
