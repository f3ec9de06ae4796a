/** Number of entries, more than the largest quantized pitch. */
const SIZE = 140
/** Standard deviation and reach of the smoothing, in quarters of a semitone. */
const SMOOTHING = 3
const REACH = 6
/** Assumed share of voiced frames with a wrong pitch, such as an octave too low. */
const ERROR_SHARE = 0.05

/** Returns the natural log-probability of each quantized pitch of a speaker, from a smoothed histogram of the voiced frames. */
export function fitPitchModel(pitches: Uint8Array, frames: Int32Array): Float64Array {
  const counts = new Float64Array(SIZE)
  for (const frame of frames) if (pitches[frame]! > 0) counts[pitches[frame]!]!++
  const smooth = counts.map((_, pitch) => {
    let sum = 0
    for (let other = Math.max(1, pitch - REACH); other <= Math.min(SIZE - 1, pitch + REACH); other++)
      sum += counts[other]! * Math.exp(-((other - pitch) ** 2) / (2 * SMOOTHING ** 2))
    return sum
  })
  const total = smooth.reduce((sum, value) => sum + value, 1e-9)
  return smooth.map((value) => Math.log((1 - ERROR_SHARE) * (value / total) + ERROR_SHARE / SIZE))
}
