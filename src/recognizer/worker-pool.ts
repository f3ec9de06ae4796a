import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Logger } from '../platform/lib/log.ts'
import {
  RecognitionError,
  type RecognizerWorkerMessage,
  type RecognitionProgress,
  type RecognizerWorkerRequest,
  type WorkerResult,
  type WorkerTask,
} from './contract.ts'

/** Pause before the second restart of a failed worker. Each further failure doubles it. */
const FIRST_RESTART_DELAY_MS = 1000
const MAX_RESTART_DELAY_MS = 30_000
/** When the pool is released, workers have this time to finish a step of their model. */
const RELEASE_TIMEOUT_MS = 6000

interface Job {
  task: WorkerTask
  signal: AbortSignal
  onProgress: (progress: RecognitionProgress) => void
  resolve: (result: WorkerResult) => void
  reject: (reason: unknown) => void
}

/** A place for a worker and its running files. A dead worker is replaced in the same slot. */
interface WorkerSlot {
  worker: Worker
  state: 'loading' | 'ready' | 'failed'
  places: number
  jobs: Map<number, Job>
  failures: number
}

/** Sends a message to a worker. The lint rule expects a target origin, which worker threads do not have. */
function sendToWorker(worker: Worker, message: RecognizerWorkerRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(message)
}

/**
 * Distributes files over worker threads. A thread can work on several files at once. Files that find no place wait in order of
 * arrival.
 */
export class RecognizerWorkerPool {
  private readonly slots: WorkerSlot[] = []
  private readonly waiting: Job[] = []
  private jobCount = 0
  private closed = false
  private released: Promise<void> | undefined

  constructor(
    private readonly startWorker: () => Worker,
    private readonly log: Logger,
  ) {}

  /**
   * Starts the workers and waits until their models are loaded.
   * @param places the number of files to recognize at once
   * @param threads the number of workers; by default, at most one per processor
   * @throws the error of a worker that cannot load its model
   */
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

  /** ready: at least one worker has loaded its model; loading: none has, but one is starting; failed: all failed to start. */
  get status(): 'ready' | 'loading' | 'failed' {
    const states = this.slots.map(({ state }) => state)
    return states.includes('ready') ? 'ready' : states.includes('loading') ? 'loading' : 'failed'
  }

  get queue(): { running: number; waiting: number } {
    return { running: this.slots.reduce((sum, { jobs }) => sum + jobs.size, 0), waiting: this.waiting.length }
  }

  /**
   * Works on a file. Calls `onProgress` when the work starts and for each progress. After an abort, rejects only when the worker
   * has released the file.
   * @throws RecognitionError, or the reason of an aborted `signal`
   */
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

  /** Rejects all files with an error that asks to retry. Resolves when the workers are idle, at the latest after a timeout. */
  release(): Promise<void> {
    this.closed = true
    for (const job of this.waiting.splice(0)) job.reject(stoppingError())
    this.released ??= Promise.all(this.slots.map((slot) => releaseSlot(slot))).then(() => undefined)
    return this.released
  }

  /**
   * Releases all files, then terminates the workers. The order matters: a thread that ends inside ONNX Runtime crashes the whole
   * process.
   */
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
      // Report the start first, because the file can crash the whole process.
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
    // Do not reject a running job yet. Its file is in use until the worker reports the end.
    for (const { worker, jobs } of this.slots) {
      for (const [id, one] of jobs) if (one === job) sendToWorker(worker, { type: 'abort', id })
    }
  }

  /** Handles the events of a slot's worker. Resolves when the model is loaded, rejects if the worker ends before. */
  private watch(slot: WorkerSlot): Promise<void> {
    const { worker } = slot
    let failure: unknown
    return new Promise((resolve, reject) => {
      worker.on('message', (message: RecognizerWorkerMessage) => {
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
      this.watch(slot).catch(() => undefined) // The exit handler starts the next worker.
    }, pause)
  }

  private receive(slot: WorkerSlot, message: RecognizerWorkerMessage): void {
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

/** Rejects the files of a slot and aborts them. Waits until the worker is idle or has ended, at most RELEASE_TIMEOUT_MS. */
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
