import { CEPSTRUM_SIZE, VOICE_FRAME_RATE, computeCepstrum, type VoiceFeatures } from './features.ts'
import type { WordGroup } from './phrases.ts'
import type { TimeSpan } from './time-span.ts'

/** Above 33 minutes of words, only every second or a later frame is used. */
const MAX_FRAMES = 100_000

/** The frames with speech in word groups. */
export interface SpeechFrames {
  groups: WordGroup[]
  /** Index of the first frame of each group. The last entry is the number of frames. */
  offsets: Int32Array
  /** Number of each frame in the features. */
  numbers: Int32Array
  /** CEPSTRUM_SIZE cepstral coefficients per frame, each with mean 0 and variance 1 over the call. */
  cepstra: Float32Array
  /** Quantized pitch of each frame, 0 if unvoiced. */
  pitches: Uint8Array
  /** Used frames per second. */
  rate: number
}

/** Selects those frames of word groups that are in sections with speech, and computes the cepstrum of each. */
export function selectSpeechFrames(features: VoiceFeatures, groups: WordGroup[], speech: TimeSpan[]): SpeechFrames {
  const toFrame = (seconds: number) =>
    Math.min(features.frameCount, Math.max(0, Math.round(seconds * VOICE_FRAME_RATE)))
  const isSpeech = new Uint8Array(features.frameCount)
  for (const { start, end } of speech) isSpeech.fill(1, toFrame(start), toFrame(end))
  const spans = groups.map(({ start, end }) => [toFrame(start), toFrame(end)] as const)
  const total = spans.reduce((sum, [from, to]) => sum + to - from, 0)
  const step = Math.max(1, Math.ceil(total / MAX_FRAMES))
  const numbers: number[] = []
  const offsets = [0]
  for (const [from, to] of spans) {
    // Word times can be so wrong that a group overlaps no section. Then use all its frames.
    const hasSpeech = isSpeech.subarray(from, to).includes(1)
    for (let n = from; n < to; n++) if (n % step === 0 && (isSpeech[n] || !hasSpeech)) numbers.push(n)
    offsets.push(numbers.length)
  }
  const cepstra = new Float32Array(numbers.length * CEPSTRUM_SIZE)
  for (const [at, number] of numbers.entries()) computeCepstrum(features, number, cepstra, at * CEPSTRUM_SIZE)
  normalize(cepstra)
  return {
    groups,
    offsets: Int32Array.from(offsets),
    numbers: Int32Array.from(numbers),
    cepstra,
    pitches: Uint8Array.from(numbers, (number) => features.pitches[number]!),
    rate: VOICE_FRAME_RATE / step,
  }
}

/** Returns the selected groups with their frames. */
export function selectGroups(frames: SpeechFrames, isSelected: (group: number) => boolean): SpeechFrames {
  const selected = frames.groups.flatMap((_, group) => (isSelected(group) ? [group] : []))
  const own = collectFrameIndices(frames, isSelected)
  const cepstra = new Float32Array(own.length * CEPSTRUM_SIZE)
  for (const [at, frame] of own.entries())
    cepstra.set(frames.cepstra.subarray(frame * CEPSTRUM_SIZE, (frame + 1) * CEPSTRUM_SIZE), at * CEPSTRUM_SIZE) // prettier-ignore
  const offsets = new Int32Array(selected.length + 1)
  for (const [n, group] of selected.entries()) offsets[n + 1] = offsets[n]! + countFrames(frames, group)
  return {
    groups: selected.map((group) => ({
      ...frames.groups[group]!,
      afterPause: frames.groups[group]!.afterPause || !isSelected(group - 1),
    })),
    offsets,
    numbers: own.map((frame) => frames.numbers[frame]!),
    cepstra,
    pitches: Uint8Array.from(own, (frame) => frames.pitches[frame]!),
    rate: frames.rate,
  }
}

/** Returns the indices of the frames of the selected groups. */
export function collectFrameIndices(frames: SpeechFrames, isSelected: (group: number) => boolean): Int32Array {
  // Compute the size first, because a growing array of 100,000 numbers in each round of training would need much memory.
  const selected = Array.from(frames.groups.keys()).filter(isSelected)
  const own = new Int32Array(selected.reduce((sum, group) => sum + countFrames(frames, group), 0))
  let count = 0
  for (const group of selected)
    for (let at = frames.offsets[group]!; at < frames.offsets[group + 1]!; at++) own[count++] = at
  return own
}

export const countFrames = ({ offsets }: SpeechFrames, group: number): number => offsets[group + 1]! - offsets[group]!

/** Gives each coefficient mean 0 and variance 1. */
function normalize(cepstra: Float32Array): void {
  const count = cepstra.length / CEPSTRUM_SIZE
  for (let d = 0; d < CEPSTRUM_SIZE; d++) {
    let [sum, squares] = [0, 0]
    for (let at = d; at < cepstra.length; at += CEPSTRUM_SIZE) {
      sum += cepstra[at]!
      squares += cepstra[at]! ** 2
    }
    const mean = sum / count
    const deviation = Math.sqrt(Math.max(1e-6, squares / count - mean ** 2))
    for (let at = d; at < cepstra.length; at += CEPSTRUM_SIZE) cepstra[at] = (cepstra[at]! - mean) / deviation
  }
}
