/** Defines how a worker pool claims, runs and stores its work. */
export interface WorkerPoolWork<Attempt> {
  /** Claims a job; returns undefined if none is due. */
  claim(): Promise<Attempt | undefined>
  /** Runs the job while it occupies a slot. */
  run(attempt: Attempt, stopping: AbortSignal): Promise<void>
  /** Stores the outcome without a slot, so that the next job runs meanwhile. */
  store(attempt: Attempt): Promise<void>
}

/** Runs jobs in up to `concurrency` slots until none is due, while up to as many finished ones are stored. */
export class WorkerPool<Attempt = unknown> {
  private readonly workers = new Set<Promise<void>>()
  private usedSlots = 0
  private isStopping = false
  /** Each job has its own controller, because a shared signal keeps references to all jobs until the process ends. */
  private readonly abortControllers = new Set<AbortController>()
  private waiters: (() => void)[] = []

  constructor(
    private readonly concurrency: () => number,
    private readonly work: WorkerPoolWork<Attempt>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Starts to claim and run a job if a slot is free. Can be called at any time; does nothing after stop(). */
  wake(): void {
    if (this.isStopping || this.isFull) return
    this.usedSlots++
    const worker = this.processJob().then((found) => {
      this.workers.delete(worker)
      this.notifyWaiters()
      if (found) this.wake() // an earlier wake() can have found the pool full
    })
    this.workers.add(worker)
  }

  /** Resolves when a slot is free or the pool stops. */
  async waitForFreeSlot(): Promise<void> {
    while (this.isFull && !this.isStopping) {
      await new Promise<void>((resolve) => this.waiters.push(resolve))
    }
  }

  /** Stops claiming and waits for running jobs. Aborts them after the grace time, at once if it is 0. */
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
      this.wake() // one found job means there can be more, so another slot polls now
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
    if (this.isStopping) stop.abort() // the pool stopped during the claim, so abort before any work
    try {
      await this.work.run(attempt, stop.signal)
    } finally {
      this.abortControllers.delete(stop)
    }
  }
}
