import type { Logger } from '../../platform/lib/log.ts'
import { gigabytes } from './disk.ts'

export class Progress {
  private total: number | undefined
  private began = { at: 0, size: 0 }
  private told = 0

  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly log: Logger,
  ) {}

  begin(size: number, total: number | undefined): void {
    this.began = { at: performance.now(), size }
    this.told = this.began.at
    this.total = total
    const all = total === undefined ? 'a file of unknown size' : gigabytes(total)
    const where = size > 0 ? `going on at ${gigabytes(size)} of ${all}` : all
    this.log.info({ file: this.name, bytes: size, totalBytes: total }, `fetching ${this.name}: ${where}`)
  }

  reached(size: number): void {
    const now = performance.now()
    if (now - this.told < this.intervalMs) return
    this.told = now
    const { name, total } = this
    if (total === undefined) {
      this.log.info({ file: name, bytes: size }, `fetching ${name}: ${gigabytes(size)} so far`)
      return
    }
    const percent = Math.floor((size / total) * 100)
    const speed = (size - this.began.size) / (now - this.began.at)
    const secondsLeft = Math.round((total - size) / speed / 1000)
    const text = `fetching ${name}: ${percent} % of ${gigabytes(total)}, about ${duration(secondsLeft)} left`
    this.log.info({ file: name, bytes: size, totalBytes: total, percent, secondsLeft }, text)
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
