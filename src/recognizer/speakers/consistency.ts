import type { SpeechFrames } from './speech-frames.ts'

const WINDOW_SECONDS = 0.5

/**
 * Measures how consistent the models of two speakers are, from about 0 (chance) to 1. This is the intraclass correlation of the
 * log-likelihood ratio, in windows of half a second, within speech between pauses. Source: Shrout and Fleiss 1979, ICC(1,1).
 * @param ratios the log-likelihood ratio of each frame
 */
export function measureConsistency(ratios: Float32Array, { groups, offsets, rate }: SpeechFrames): number {
  const windowFrames = Math.round(WINDOW_SECONDS * rate)
  const stretches: number[][] = []
  let from = 0
  for (let n = 1; n <= groups.length; n++) {
    if (n < groups.length && !groups[n]!.afterPause) continue
    const windows = averageWindows(ratios.subarray(offsets[from], offsets[n]), windowFrames)
    if (windows.length > 0) stretches.push(windows)
    from = n
  }
  return computeIcc(stretches)
}

/** Returns the means of windows of `size` values. The last window needs at least half of them, unless it is the only one. */
function averageWindows(ratios: Float32Array, size: number): number[] {
  const windows: number[] = []
  for (let at = 0; at === 0 ? at < ratios.length : at + size / 2 <= ratios.length; at += size)
    windows.push(mean(ratios.subarray(at, at + size)))
  return windows
}

function computeIcc(stretches: number[][]): number {
  const all = stretches.flat()
  const [count, total] = [stretches.length, all.length]
  if (count < 2 || total === count) return 0
  const overall = mean(all)
  let [between, within, squaredSizes] = [0, 0, 0]
  for (const stretch of stretches) {
    const own = mean(stretch)
    between += (stretch.length * (own - overall) ** 2) / (count - 1)
    for (const value of stretch) within += (value - own) ** 2 / (total - count)
    squaredSizes += stretch.length ** 2
  }
  const size = (total - squaredSizes / total) / (count - 1)
  return (between - within) / (between + (size - 1) * within + 1e-9)
}

function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let n = 0; n < values.length; n++) sum += values[n]!
  return sum / values.length
}
