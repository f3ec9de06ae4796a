/** A slower download fails. Tests set other times. */
export const MINIMUM_RATE = {
  bytesPerSecond: 8 * 1024,
  /** The rate is the average over this time. */
  overMs: 60_000,
  /** If another call waits for its place, a slow download fails after this time. */
  yieldsAfterMs: 5_000,
  looksEveryMs: 1_000,
}

/** Measures the rate of a download, and aborts it if it is too slow. */
export class RateWatch {
  isTooSlow = false
  private readonly abort = new AbortController()
  private readonly timer: NodeJS.Timeout
  private readonly isWanted: () => Promise<boolean>
  private bytes = 0
  private waitedMs = 0
  private waitingSince: number | undefined

  /** @param isWanted whether another call waits for the place of this download */
  constructor(isWanted: () => Promise<boolean>) {
    this.isWanted = isWanted
    this.timer = setInterval(() => void this.look(), MINIMUM_RATE.looksEveryMs).unref()
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** Waits for the portal. Only this time counts, not the time in which we store data. */
  async during<T>(answer: Promise<T>): Promise<T> {
    this.waitingSince = performance.now()
    try {
      return await answer
    } finally {
      this.waitedMs += performance.now() - this.waitingSince
      this.waitingSince = undefined
    }
  }

  count(bytes: number): void {
    this.bytes += bytes
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async look(): Promise<void> {
    const now = performance.now()
    const waitedMs = this.waitedMs + (this.waitingSince === undefined ? 0 : now - this.waitingSince)
    const isSlow = this.bytes < (MINIMUM_RATE.bytesPerSecond * waitedMs) / 1000
    if (isSlow && waitedMs >= MINIMUM_RATE.overMs) return this.fail()
    if (isSlow && waitedMs >= MINIMUM_RATE.yieldsAfterMs && (await this.isWanted().catch(() => false))) {
      return this.fail()
    }
    if (waitedMs < MINIMUM_RATE.overMs) return
    this.bytes = 0
    this.waitedMs = 0
    if (this.waitingSince !== undefined) this.waitingSince = now
  }

  private fail(): void {
    this.isTooSlow = true
    this.stop()
    this.abort.abort()
  }
}
