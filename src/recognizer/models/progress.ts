import type { Logger } from '../../platform/lib/log.ts'
import { formatBytes } from './disk.ts'

/** Logs the progress of a download, at most once per interval. Includes the remaining time if the size is known. */
export class DownloadProgressLogger {
  private total: number | undefined
  private start = { at: 0, size: 0 }
  private reportedAt = 0

  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly log: Logger,
  ) {}

  begin(size: number, total: number | undefined): void {
    this.start = { at: performance.now(), size }
    this.reportedAt = this.start.at
    this.total = total
    const all = total === undefined ? 'a file of unknown size' : formatBytes(total)
    const where = size > 0 ? `going on at ${formatBytes(size)} of ${all}` : all
    this.log.info({ file: this.name, bytes: size, totalBytes: total }, `fetching ${this.name}: ${where}`)
  }

  update(size: number): void {
    const now = performance.now()
    if (now - this.reportedAt < this.intervalMs) return
    this.reportedAt = now
    const { name, total } = this
    if (total === undefined) {
      this.log.info({ file: name, bytes: size }, `fetching ${name}: ${formatBytes(size)} so far`)
      return
    }
    const percent = Math.floor((size / total) * 100)
    const speed = (size - this.start.size) / (now - this.start.at)
    const secondsLeft = Math.round((total - size) / speed / 1000)
    const text = `fetching ${name}: ${percent} % of ${formatBytes(total)}, about ${formatDuration(secondsLeft)} left`
    this.log.info({ file: name, bytes: size, totalBytes: total, percent, secondsLeft }, text)
  }
}

function formatDuration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
