export const MAX_PEAKS = 1000
/** Intervals in memory: several for each peak, even after halving. */
const MAX_INTERVALS = 8 * MAX_PEAKS
/** Length of the first intervals; it doubles with longer audio. */
const FIRST_INTERVAL_SECONDS = 0.01
/** Quieter audio is drawn as silence, not scaled up. */
const MIN_SCALE_LEVEL = 330

/** Collects the peaks of a channel in a limited number of equal intervals. */
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

  /** Returns the peaks so far (0 to 32768), each of an equal share of the time. */
  collect(): number[] {
    const heights = [...this.heights.subarray(0, this.count), this.height]
    const intervals = this.count + this.filled / this.width
    const peaks = Math.min(MAX_PEAKS, Math.ceil(intervals))
    return Array.from({ length: peaks }, (_, n) => {
      const last = Math.ceil(((n + 1) * intervals) / peaks)
      let peak = 0
      for (let i = Math.floor((n * intervals) / peaks); i < last; i++) peak = Math.max(peak, heights[i]!)
      return peak
    })
  }
}

/** The peaks of all channels, 0 to 100 of the loudest. */
export function toPercentages(channels: PeakCollector[]): number[][] {
  const peaks = channels.map((channel) => channel.collect())
  const loudest = peaks.flat().reduce((maximum, peak) => Math.max(maximum, peak), MIN_SCALE_LEVEL)
  return peaks.map((channel) => channel.map((peak) => Math.round((100 * peak) / loudest)))
}
