/**
 * Carries a unit of work out; answers false when it is no use to look for more now. What is still to be done once it
 * calls `free` takes no place from the next unit.
 */
export type Work = (free: () => void) => Promise<boolean>

/** Claims one unit of work and answers what carries it out, or undefined where there is none. */
export type Next = (stopping: AbortSignal) => Promise<Work | undefined>

/**
 * Runs units of work while there are any, at most `concurrency` at once. Waking is cheap and may happen at any time,
 * any number of times.
 */
export class Pump {
  private readonly running = new Set<Promise<void>>()
  private taken = 0
  private readonly stopping = new AbortController()
  private readonly concurrency: number
  private readonly next: Next
  private readonly onError: (error: unknown) => void

  constructor(concurrency: number, next: Next, onError: (error: unknown) => void) {
    this.concurrency = concurrency
    this.next = next
    this.onError = onError
  }

  /** Looks for work now, unless every place is taken. */
  wake(): void {
    if (this.stopping.signal.aborted || this.taken >= this.concurrency) return
    this.taken++
    const drain = this.drain().finally(() => this.running.delete(drain))
    this.running.add(drain)
  }

  /** Resolves when a place is free (at once, if one is). */
  async freePlace(): Promise<void> {
    while (this.taken >= this.concurrency && !this.stopping.signal.aborted) await Promise.race(this.running)
  }

  /** Takes no more work, tells what runs to end (through the signal) and waits until it has. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.running)
  }

  private async drain(): Promise<void> {
    let holdsPlace = true
    const leave = () => {
      if (holdsPlace) this.taken--
      holdsPlace = false
    }
    const free = () => {
      leave()
      this.wake()
    }
    try {
      while (!this.stopping.signal.aborted) {
        const work = await this.next(this.stopping.signal)
        if (!work) return
        this.wake() // One unit found means there may be more: another place looks while this one works.
        if (!(await work(free)) || !holdsPlace) return
      }
    } catch (error) {
      this.onError(error)
    } finally {
      leave()
    }
  }
}
