export const MOST_PEAKS = 1000
/** Intervals in memory: several for each peak, even after halving. */
const KEPT = 8 * MOST_PEAKS
/** Length of the first intervals; it doubles with longer audio. */
const FIRST_SECONDS = 0.01
/** Quieter audio is drawn as silence, not scaled up. */
const QUIET = 330

export class Peaks {
  private readonly heights = new Uint16Array(KEPT)
  private count = 0
  private width: number
  private filled = 0
  private height = 0

  constructor(sampleRate: number) {
    this.width = Math.round(sampleRate * FIRST_SECONDS)
  }

  add(samples: Int16Array): void {
    for (let at = 0; at < samples.length;) {
      const end = Math.min(samples.length, at + this.width - this.filled)
      this.filled += end - at
      let { height } = this
      for (; at < end; at++) {
        const sample = samples[at]!
        const now = sample < 0 ? -sample : sample
        if (now > height) height = now
      }
      this.height = height
      if (this.filled === this.width) this.close()
    }
  }

  private close(): void {
    this.heights[this.count++] = this.height
    this.height = 0
    this.filled = 0
    if (this.count < KEPT) return
    this.count = KEPT / 2
    this.width *= 2
    for (let i = 0; i < this.count; i++) this.heights[i] = Math.max(this.heights[2 * i]!, this.heights[2 * i + 1]!)
  }

  /** Returns the peaks so far (0 to 32768), each of an equal share of the time. */
  read(): number[] {
    const heights = [...this.heights.subarray(0, this.count), this.height]
    const stretches = this.count + this.filled / this.width
    const peaks = Math.min(MOST_PEAKS, Math.ceil(stretches))
    return Array.from({ length: peaks }, (_, n) => {
      const last = Math.ceil(((n + 1) * stretches) / peaks)
      let peak = 0
      for (let i = Math.floor((n * stretches) / peaks); i < last; i++) peak = Math.max(peak, heights[i]!)
      return peak
    })
  }
}

export function inPercent(channels: Peaks[]): number[][] {
  const peaks = channels.map((channel) => channel.read())
  const loudest = peaks.flat().reduce((most, peak) => Math.max(most, peak), QUIET)
  return peaks.map((channel) => channel.map((peak) => Math.round((100 * peak) / loudest)))
}
