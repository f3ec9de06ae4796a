import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Logger } from '../platform/lib/log.ts'
import {
  RecognitionError,
  type WorkerMessage,
  type RecognitionProgress,
  type WorkerRequest,
  type WorkerResult,
  type WorkerTask,
} from './contract.ts'

/** First pause before a failed worker is restarted; it doubles each time. */
const FIRST_RESTART_DELAY_MS = 1000
const MAX_RESTART_DELAY_MS = 30_000
/** Time for workers to finish a step of their model when the pool closes. */
const RELEASE_TIMEOUT_MS = 6000

interface Job {
  task: WorkerTask
  signal: AbortSignal
  onProgress: (progress: RecognitionProgress) => void
  resolve: (result: WorkerResult) => void
  reject: (reason: unknown) => void
}

/** A worker and its files; the worker is replaced when it dies. */
interface WorkerSlot {
  worker: Worker
  state: 'loading' | 'ready' | 'failed'
  places: number
  /** Running files by their id in the worker. */
  jobs: Map<number, Job>
  failures: number
}

/** A worker thread has no target origin. */
function sendToWorker(worker: Worker, message: WorkerRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(message)
}

/** Worker threads that recognize files, at most one per processor. Windows of several files share runs of a model. */
export class WorkerPool {
  private readonly slots: WorkerSlot[] = []
  private readonly waiting: Job[] = []
  private jobCount = 0
  private closed = false
  private released: Promise<void> | undefined

  constructor(
    private readonly startWorker: () => Worker,
    private readonly log: Logger,
  ) {}

  /** Starts the workers, and waits until their models are loaded. @throws the error of a worker */
  async start(places: number, threads = Math.min(places, availableParallelism())): Promise<void> {
    const started = Array.from({ length: threads }, (_, number) => {
      const share = Math.ceil((places - number) / threads)
      const slot: WorkerSlot = {
        worker: this.startWorker(),
        state: 'loading',
        places: share,
        jobs: new Map(),
        failures: 0,
      }
      this.slots.push(slot)
      return this.watch(slot)
    })
    try {
      await Promise.all(started)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** ready: a worker runs; loading: one is starting; failed: none could start. */
  get status(): 'ready' | 'loading' | 'failed' {
    const states = this.slots.map(({ state }) => state)
    return states.includes('ready') ? 'ready' : states.includes('loading') ? 'loading' : 'failed'
  }

  get queue(): { running: number; waiting: number } {
    return { running: this.slots.reduce((sum, { jobs }) => sum + jobs.size, 0), waiting: this.waiting.length }
  }

  /** Works on a file; calls `onProgress` first when it begins. Rejects when the worker has released it. */
  run<T extends WorkerTask>(
    task: T,
    onProgress: (progress: RecognitionProgress) => void,
    signal: AbortSignal,
  ): Promise<WorkerResult<T>> {
    const result = new Promise<WorkerResult>((resolve, reject) => {
      if (this.closed) throw stoppingError()
      if (this.status === 'failed') throw modelUnavailableError()
      signal.throwIfAborted()
      const job = { task, signal, onProgress, resolve, reject }
      signal.addEventListener('abort', () => this.abort(job), { once: true })
      this.waiting.push(job)
      this.dispatch()
    })
    return result as Promise<WorkerResult<T>>
  }

  /** Rejects all files with an error that asks to retry. Resolves when the workers have released them. */
  release(): Promise<void> {
    this.closed = true
    for (const job of this.waiting.splice(0)) job.reject(stoppingError())
    this.released ??= Promise.all(this.slots.map((slot) => releaseSlot(slot))).then(() => undefined)
    return this.released
  }

  /** Ends everything. A thread that ends inside ONNX Runtime crashes the whole process. */
  async close(): Promise<void> {
    await this.release()
    await Promise.all(this.slots.map(({ worker }) => worker.terminate()))
  }

  private dispatch(): void {
    while (this.waiting.length > 0) {
      const slot = this.findFreeSlot()
      if (!slot) return
      const job = this.waiting.shift()!
      const id = ++this.jobCount
      slot.jobs.set(id, job)
      // Reported first: the file can crash the whole process.
      job.onProgress({ processedSeconds: 0, totalSeconds: null })
      const { task } = job
      sendToWorker(
        slot.worker,
        'words' in task ? { type: 'separate', id, ...task } : { type: 'transcribe', id, ...task },
      )
    }
  }

  private findFreeSlot(): WorkerSlot | undefined {
    const open = this.slots.filter(({ state, jobs, places }) => state === 'ready' && jobs.size < places)
    return open.toSorted((a, b) => a.jobs.size - b.jobs.size)[0]
  }

  private abort(job: Job): void {
    const index = this.waiting.indexOf(job)
    if (index >= 0) {
      this.waiting.splice(index, 1)
      job.reject(job.signal.reason)
    }
    // The worker reports the end of a running job: until then its file is in use.
    for (const { worker, jobs } of this.slots) {
      for (const [id, one] of jobs) if (one === job) sendToWorker(worker, { type: 'abort', id })
    }
  }

  /** Handles the events of a slot's worker; resolves when its model is loaded. */
  private watch(slot: WorkerSlot): Promise<void> {
    const { worker } = slot
    let failure: unknown
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        resolve()
        this.receive(slot, message)
      })
      worker.on('error', (error) => reject((failure = error)))
      worker.on('exit', (code) => {
        reject(new Error(`a worker thread ended with code ${code} while loading`))
        if (!this.closed) this.replace(slot, failure, code)
      })
    })
  }

  private replace(slot: WorkerSlot, err: unknown, code: number): void {
    this.log.error({ err, code }, 'a worker thread ended unexpectedly; starting another')
    slot.state = slot.state === 'ready' ? 'loading' : 'failed'
    slot.failures++
    if (this.status === 'failed') for (const job of this.waiting.splice(0)) job.reject(modelUnavailableError())
    for (const id of slot.jobs.keys()) this.settle(slot, id, (job) => job.reject(lostFileError()))
    const pause =
      slot.failures === 1 ? 0 : Math.min(FIRST_RESTART_DELAY_MS * 2 ** (slot.failures - 2), MAX_RESTART_DELAY_MS)
    setTimeout(() => {
      if (this.closed) return
      slot.worker = this.startWorker()
      this.watch(slot).catch(() => undefined) // the exit starts the next one
    }, pause)
  }

  private receive(slot: WorkerSlot, message: WorkerMessage): void {
    if (message.type === 'ready') {
      slot.state = 'ready'
      return this.dispatch()
    }
    if (message.type === 'progress') return slot.jobs.get(message.id)?.onProgress(message)
    slot.failures = 0
    this.settle(slot, message.id, (job) => {
      if (message.type === 'result') {
        const { type: _, id: __, ...result } = message
        job.resolve(result)
      } else if (message.type === 'error') {
        if (message.stack) this.log.error({ stack: message.stack }, 'recognition failed')
        job.reject(new RecognitionError(message.code, message.message))
      } else {
        job.reject(job.signal.reason)
      }
    })
  }

  private settle(slot: WorkerSlot, id: number, end: (job: Job) => void): void {
    const job = slot.jobs.get(id)
    slot.jobs.delete(id)
    if (job) end(job)
    this.dispatch()
  }
}

/** Rejects the slot's files, and waits until its worker is idle, has ended, or exceeds the limit. */
async function releaseSlot(slot: WorkerSlot): Promise<void> {
  const { worker, jobs } = slot
  const isIdle = () => jobs.size === 0 && slot.state !== 'loading'
  if (isIdle()) return
  for (const job of jobs.values()) job.reject(stoppingError())
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, RELEASE_TIMEOUT_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    worker.on('message', () => void (isIdle() && end()))
    worker.once('exit', end)
    for (const id of jobs.keys()) sendToWorker(worker, { type: 'abort', id })
  })
}

const lostFileError = () => new RecognitionError('INTERNAL', 'The recognizer lost this file. Try again.')

const stoppingError = () => new RecognitionError('UNAVAILABLE', 'The recognizer is stopping. Try again in a minute.')

const modelUnavailableError = () =>
  new RecognitionError('UNAVAILABLE', 'The recognizer cannot load its model now. Try again later; see its log.')
