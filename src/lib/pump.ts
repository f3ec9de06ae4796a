/**
 * Runs units of work while there are any, at most `concurrency` at once. `next` claims and finishes one unit and
 * answers whether it found one. Waking is cheap and may happen at any time, any number of times.
 */
export class Pump {
  private readonly running = new Set<Promise<void>>()
  private readonly stopping = new AbortController()
  private readonly concurrency: number
  private readonly next: (signal: AbortSignal) => Promise<boolean>
  private readonly onError: (error: unknown) => void

  constructor(concurrency: number, next: (signal: AbortSignal) => Promise<boolean>, onError: (error: unknown) => void) {
    this.concurrency = concurrency
    this.next = next
    this.onError = onError
  }

  /** Looks for work now, unless every place is taken. */
  wake(): void {
    if (this.stopping.signal.aborted || this.running.size >= this.concurrency) return
    const drain = this.drain().finally(() => this.running.delete(drain))
    this.running.add(drain)
  }

  /** Resolves when a place is free (at once, if one is). */
  async freePlace(): Promise<void> {
    while (this.running.size >= this.concurrency && !this.stopping.signal.aborted) await Promise.race(this.running)
  }

  /** Takes no more work, tells what runs to end (through the signal) and waits until it has. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.running)
  }

  private async drain(): Promise<void> {
    try {
      // One unit found means there may be more: the other places look too.
      while (!this.stopping.signal.aborted && (await this.next(this.stopping.signal))) this.wake()
    } catch (error) {
      this.onError(error)
    }
  }
}
