/**
 * Carries a unit of work out; answers false when it is no use to look for more now. What is still to be done once it
 * calls `free` takes no slot from the next unit.
 */
export type Work = (free: () => void) => Promise<boolean>

/** Claims one unit of work and answers what carries it out, or undefined where there is none. */
export type Next = (stopping: AbortSignal) => Promise<Work | undefined>

/**
 * Runs units of work while there are any, at most `concurrency` at once, and as many again that have freed their slot.
 * Waking is cheap and may happen at any time, any number of times.
 */
export class WorkerPool {
  private readonly running = new Set<Promise<void>>()
  private taken = 0
  private readonly stopping = new AbortController()
  private waiting: (() => void)[] = []
  private readonly concurrency: number
  private readonly next: Next
  private readonly onError: (error: unknown) => void

  constructor(concurrency: number, next: Next, onError: (error: unknown) => void) {
    this.concurrency = concurrency
    this.next = next
    this.onError = onError
  }

  /** Looks for work now, unless every slot is taken. */
  wake(): void {
    if (this.stopping.signal.aborted || this.isFull) return
    this.taken++
    const drain = this.drain().finally(() => {
      this.running.delete(drain)
      this.tellWaiting()
    })
    this.running.add(drain)
  }

  /** Resolves when a slot is free (at once, if one is). */
  async freeSlot(): Promise<void> {
    while (this.isFull && !this.stopping.signal.aborted) {
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Takes no more work, tells what runs to end (through the signal) and waits until it has. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.tellWaiting()
    await Promise.all(this.running)
  }

  private get isFull(): boolean {
    return this.taken >= this.concurrency || this.running.size >= 2 * this.concurrency
  }

  private tellWaiting(): void {
    const waiting = this.waiting
    this.waiting = []
    for (const tell of waiting) tell()
  }

  private async drain(): Promise<void> {
    let holdsSlot = true
    const leave = () => {
      if (holdsSlot) this.taken--
      holdsSlot = false
      this.tellWaiting()
    }
    const free = () => {
      leave()
      this.wake()
    }
    try {
      while (!this.stopping.signal.aborted) {
        if (!holdsSlot) return void setImmediate(() => this.wake()) // it may have been too full until now
        const work = await this.next(this.stopping.signal)
        if (!work) return
        this.wake() // One unit found means there may be more: another slot looks while this one works.
        if (!(await work(free))) return
      }
    } catch (error) {
      this.onError(error)
    } finally {
      leave()
    }
  }
}
