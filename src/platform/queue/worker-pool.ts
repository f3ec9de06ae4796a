/** A kind of work for a pool. */
export interface PoolWork<Attempt> {
  /** Claims a job; undefined if there is none now. */
  claim(): Promise<Attempt | undefined>
  /** Does the job in a slot. `store` then records the result. */
  run(attempt: Attempt, stopping: AbortSignal): Promise<void>
  /** Stores the result; this takes no slot, so that the next job runs meanwhile. */
  store(attempt: Attempt): Promise<void>
}

/** Runs jobs while there are any: at most `concurrency` at once, while as many are being stored. Wake it at any time. */
export class WorkerPool<Attempt = unknown> {
  private readonly workers = new Set<Promise<void>>()
  private usedSlots = 0
  private isStopping = false
  /** One per job: a shared one would keep a reference to each of them until the process ends. */
  private readonly abortControllers = new Set<AbortController>()
  private waiters: (() => void)[] = []

  constructor(
    private readonly concurrency: () => number,
    private readonly work: PoolWork<Attempt>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Claims a job now, unless every slot is taken. */
  wake(): void {
    if (this.isStopping || this.isFull) return
    this.usedSlots++
    const worker = this.processJob().then((found) => {
      this.workers.delete(worker)
      this.notifyWaiters()
      if (found) this.wake() // it may have been too full until now
    })
    this.workers.add(worker)
  }

  /** Resolves when a slot is free (at once, if one is). */
  async waitForFreeSlot(): Promise<void> {
    while (this.isFull && !this.isStopping) {
      await new Promise<void>((resolve) => this.waiters.push(resolve))
    }
  }

  /** Stops claiming and waits for running jobs; after the grace time, aborts their signal. */
  async stop(graceSeconds: number): Promise<void> {
    this.isStopping = true
    const abort = () => this.abortControllers.forEach((stop) => stop.abort())
    if (graceSeconds === 0) abort()
    const timeout = setTimeout(abort, graceSeconds * 1000)
    this.notifyWaiters()
    await Promise.all(this.workers)
    clearTimeout(timeout)
  }

  private get isFull(): boolean {
    const concurrency = this.concurrency()
    return this.usedSlots >= concurrency || this.workers.size >= 2 * concurrency
  }

  private notifyWaiters(): void {
    const waiters = this.waiters
    this.waiters = []
    for (const notifyWaiter of waiters) notifyWaiter()
  }

  /** @returns true if a job ran (the caller should poll again) */
  private async processJob(): Promise<boolean> {
    try {
      const attempt = await this.claimAndRun()
      if (!attempt) return false
      this.wake()
      await this.work.store(attempt)
      return true
    } catch (error) {
      this.onError(error)
      return false
    }
  }

  private async claimAndRun(): Promise<Attempt | undefined> {
    try {
      const attempt = await this.work.claim()
      if (!attempt) return undefined
      this.wake() // One found job means there can be more: another slot polls while this one works.
      await this.runUntilStopped(attempt)
      return attempt
    } finally {
      this.usedSlots--
      this.notifyWaiters()
    }
  }

  private async runUntilStopped(attempt: Attempt): Promise<void> {
    const stop = new AbortController()
    this.abortControllers.add(stop)
    if (this.isStopping) stop.abort() // it was claimed while the pool was told to stop: nothing of it is done yet
    try {
      await this.work.run(attempt, stop.signal)
    } finally {
      this.abortControllers.delete(stop)
    }
  }
}
