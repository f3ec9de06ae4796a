/** More values than a quantized pitch has. */
const SIZE = 140
/** Width of the smoothing in quarters of a semitone. */
const SMOOTHING = 3
const REACH = 6
/** Share of voiced frames with a wrong pitch, such as an octave too low. */
const ERROR_SHARE = 0.05

/** Log-probabilities of the pitch of one speaker's voiced frames, by quantized pitch: a smoothed histogram. */
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
