export const MAX_PEAKS_PER_CHANNEL = 1000
/** Number of intervals in memory. It leaves several intervals per peak, even after halving. */
const MAX_INTERVALS = 8 * MAX_PEAKS_PER_CHANNEL
/** Length of the intervals at first. When all intervals are used, pairs are merged and the length doubles. */
const FIRST_INTERVAL_SECONDS = 0.01
/** If the loudest peak is lower, this level is 100 %, so that quiet noise does not look like speech. */
const MIN_SCALE_LEVEL = 330

/** Collects the peaks of one channel in a limited number of intervals, so that memory does not grow with the audio. */
export class PeakCollector {
  private readonly heights = new Uint16Array(MAX_INTERVALS)
  private count = 0
  private width: number
  private filled = 0
  private height = 0

  constructor(sampleRate: number) {
    this.width = Math.round(sampleRate * FIRST_INTERVAL_SECONDS)
  }

  add(samples: Int16Array): void {
    for (let at = 0; at < samples.length;) {
      const end = Math.min(samples.length, at + this.width - this.filled)
      this.filled += end - at
      let { height } = this
      for (; at < end; at++) {
        const sample = samples[at]!
        const level = sample < 0 ? -sample : sample
        if (level > height) height = level
      }
      this.height = height
      if (this.filled === this.width) this.closeInterval()
    }
  }

  private closeInterval(): void {
    this.heights[this.count++] = this.height
    this.height = 0
    this.filled = 0
    if (this.count < MAX_INTERVALS) return
    this.count = MAX_INTERVALS / 2
    this.width *= 2
    for (let i = 0; i < this.count; i++) this.heights[i] = Math.max(this.heights[2 * i]!, this.heights[2 * i + 1]!)
  }

  /** Returns at most MAX_PEAKS_PER_CHANNEL peaks from 0 to 32768. Each covers about the same share of the time. */
  collect(): number[] {
    const heights = [...this.heights.subarray(0, this.count), this.height]
    const intervals = this.count + this.filled / this.width
    const peaks = Math.min(MAX_PEAKS_PER_CHANNEL, Math.ceil(intervals))
    return Array.from({ length: peaks }, (_, n) => {
      const last = Math.ceil(((n + 1) * intervals) / peaks)
      let peak = 0
      for (let i = Math.floor((n * intervals) / peaks); i < last; i++) peak = Math.max(peak, heights[i]!)
      return peak
    })
  }
}

/** Returns the peaks of all channels as percentages of the loudest peak, or of MIN_SCALE_LEVEL if all are lower. */
export function scalePeaksToPercentages(channels: PeakCollector[]): number[][] {
  const peaks = channels.map((channel) => channel.collect())
  const loudest = peaks.flat().reduce((maximum, peak) => Math.max(maximum, peak), MIN_SCALE_LEVEL)
  return peaks.map((channel) => channel.map((peak) => Math.round((100 * peak) / loudest)))
}
