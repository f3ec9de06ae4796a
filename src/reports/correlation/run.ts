import { Worker } from 'node:worker_threads'
import { Semaphore } from 'async-mutex'
import { threadFile } from '../../platform/lib/thread-file.ts'
import { withinLimit } from '../../platform/lib/time-limit.ts'
import type { Findings } from './analyse.ts'
import type { Task } from './worker-thread.ts'

/** Threads at once; each takes a core. */
const slots = new Semaphore(2)
/** Far more than the largest company needs. */
const LIMIT_MS = 60_000
const MAX_HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 }

/** Analyses deals in a thread: 1,000 resamples of 20,000 deals take half a second. @throws the signal's reason */
export async function analyseAside(task: Task, signal: AbortSignal): Promise<Findings> {
  // The thread of an aborted request ends and frees its slot, while the request is answered at once.
  return await Promise.race([slots.runExclusive(() => runThread(task, signal)), rejectOnAbort(signal)])
}

async function runThread(workerData: Task, signal: AbortSignal): Promise<Findings> {
  signal.throwIfAborted()
  const worker = new Worker(threadFile('correlation-worker'), { workerData, resourceLimits: MAX_HEAP })
  const limit = withinLimit(LIMIT_MS, signal)
  try {
    const result = new Promise<Findings>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    return await Promise.race([result, rejectOnAbort(limit)])
  } finally {
    await worker.terminate()
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
