import { FRAME_RATE } from './features.ts'
import type { WordGroup } from './phrases.ts'
import { FRAME_STEP, type SpeechFrames } from './speech-frames.ts'

const WINDOW_FRAMES = (0.5 * FRAME_RATE) / FRAME_STEP

/**
 * How consistent a separation is: the intraclass correlation of the frames' log-likelihood ratio, averaged over windows of half
 * a second, within speech between pauses (Shrout and Fleiss 1979, ICC(1,1) with unequal sizes). 1 is perfect, 0 is chance.
 */
export function measureConsistency(ratios: Float32Array, groups: WordGroup[], { offsets }: SpeechFrames): number {
  const stretches: number[][] = []
  let from = 0
  for (let n = 1; n <= groups.length; n++) {
    if (n < groups.length && !groups[n]!.afterPause) continue
    const windows = averageWindows(ratios.subarray(offsets[from], offsets[n]))
    if (windows.length > 0) stretches.push(windows)
    from = n
  }
  return computeIcc(stretches)
}

function averageWindows(ratios: Float32Array): number[] {
  const windows: number[] = []
  for (let at = 0; at === 0 ? at < ratios.length : at + WINDOW_FRAMES / 2 <= ratios.length; at += WINDOW_FRAMES)
    windows.push(mean(ratios.subarray(at, at + WINDOW_FRAMES)))
  return windows
}

function computeIcc(stretches: number[][]): number {
  const all = stretches.flat()
  const [count, total] = [stretches.length, all.length]
  if (count < 2 || total === count) return 0
  const overall = mean(all)
  const means = stretches.map(mean)
  const between = means.reduce((sum, one, n) => sum + stretches[n]!.length * (one - overall) ** 2, 0) / (count - 1)
  const within = stretches.flatMap((one, n) => one.map((value) => (value - means[n]!) ** 2)).reduce((a, b) => a + b, 0) / (total - count) // prettier-ignore
  const size = (total - stretches.reduce((sum, { length }) => sum + length ** 2, 0) / total) / (count - 1)
  return (between - within) / (between + (size - 1) * within + 1e-9)
}

function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let n = 0; n < values.length; n++) sum += values[n]!
  return sum / values.length
}
