import { CEPSTRUM_SIZE, MEL_FILTER_COUNT, type VoiceFeatures } from './features.ts'
import { countFrames, type SpeechFrames } from './speech-frames.ts'

const ROUNDS = 25
/** Weight of a pitch step beside the normalized cepstrum. */
const PITCH_WEIGHT = 0.1

/**
 * Describes each group by a vector, in four ways. Each way finds some divisions that the others miss.
 * @returns for each way, the vectors of all groups
 */
export function computeGroupVectors(features: VoiceFeatures, frames: SpeechFrames): Float64Array[][] {
  const [means, deviations] = [computeMeans(frames), computeDeviations(frames)]
  const pitches = computeMedianPitches(frames)
  return [
    computeSpectra(features, frames),
    means.map((mean, group) => Float64Array.of(...mean, ...deviations[group]!)),
    means.map((mean, group) => Float64Array.of(...mean, PITCH_WEIGHT * pitches[group]!)),
    means,
  ]
}

/** Returns the mean spectrum of each group in decibels, less its own mean. The lines of the two speakers differ in it. */
function computeSpectra({ levels }: VoiceFeatures, { groups, numbers, offsets }: SpeechFrames): Float64Array[] {
  return groups.map((_, group) => {
    const spectrum = new Float64Array(MEL_FILTER_COUNT)
    for (let at = offsets[group]!; at < offsets[group + 1]!; at++)
      for (let n = 0; n < MEL_FILTER_COUNT; n++)
        spectrum[n]! += 10 ** (levels[numbers[at]! * MEL_FILTER_COUNT + n]! / 20)
    for (let n = 0; n < MEL_FILTER_COUNT; n++) spectrum[n] = 10 * Math.log10(spectrum[n]! + 1e-3)
    const mean = spectrum.reduce((sum, value) => sum + value, 0) / MEL_FILTER_COUNT
    return spectrum.map((value) => value - mean)
  })
}

function computeMeans(frames: SpeechFrames): Float64Array[] {
  return averageFrames(frames, (value) => value)
}

function computeDeviations(frames: SpeechFrames): Float64Array[] {
  return averageFrames(frames, (value, mean) => (value - mean) ** 2).map((variance) => variance.map(Math.sqrt))
}

/** Returns, for each group and coefficient, the mean of a function of the value and of its mean over the group. */
function averageFrames(frames: SpeechFrames, apply: (value: number, mean: number) => number): Float64Array[] {
  const average = (group: number, means: Float64Array, of: typeof apply) => {
    const sums = new Float64Array(CEPSTRUM_SIZE)
    for (let at = frames.offsets[group]!; at < frames.offsets[group + 1]!; at++)
      for (let d = 0; d < CEPSTRUM_SIZE; d++) sums[d]! += of(frames.cepstra[at * CEPSTRUM_SIZE + d]!, means[d]!)
    return sums.map((sum) => sum / Math.max(1, countFrames(frames, group)))
  }
  return frames.groups.map((_, group) =>
    average(
      group,
      average(group, new Float64Array(CEPSTRUM_SIZE), (value) => value),
      apply,
    ),
  )
}

/** Returns the median pitch of each group's voiced frames. A group without voiced frames gets that of the previous group, or 0. */
function computeMedianPitches({ groups, pitches, offsets }: SpeechFrames): number[] {
  let last = 0
  return groups.map((_, group) => {
    const voiced = pitches.subarray(offsets[group], offsets[group + 1]).filter((pitch) => pitch > 0).toSorted() // prettier-ignore
    if (voiced.length > 0) last = voiced[voiced.length >> 1]!
    return last
  })
}

/** Splits weighted vectors into clusters 0 and 1 (k-means, starting as in k-means++). Returns the cluster of each vector. */
export function clusterInTwo(vectors: Float64Array[], weights: number[], random: () => number): Int8Array {
  const first = pickWeighted(weights, random)
  const distances = vectors.map((vector, n) => weights[n]! * squaredDistance(vector, vectors[first]!))
  const means = [vectors[first]!, vectors[pickWeighted(distances, random)]!]
  const labels = new Int8Array(vectors.length)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [n, vector] of vectors.entries())
      labels[n] = Number(squaredDistance(vector, means[1]!) < squaredDistance(vector, means[0]!))
    for (const label of [0, 1]) means[label] = weightedMean(vectors, weights, labels, label) ?? means[label]!
  }
  return labels
}

function weightedMean(vectors: Float64Array[], weights: number[], labels: Int8Array, label: number) {
  const mean = new Float64Array(vectors[0]!.length)
  let total = 0
  for (const [n, vector] of vectors.entries()) {
    if (labels[n] !== label) continue
    total += weights[n]!
    for (let d = 0; d < mean.length; d++) mean[d]! += weights[n]! * vector[d]!
  }
  return total > 0 ? mean.map((sum) => sum / total) : undefined
}

function pickWeighted(weights: number[], random: () => number): number {
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0)
  return Math.max(
    0,
    weights.findIndex((weight) => (rest -= weight) < 0),
  )
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n]! - b[n]!) ** 2
  return sum
}
