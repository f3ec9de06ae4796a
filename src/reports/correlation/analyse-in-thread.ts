import { Worker } from 'node:worker_threads'
import { Semaphore } from 'async-mutex'
import { resolveThreadFile } from '../../platform/lib/thread-file.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import type { CorrelationFindings } from './analyse-deals.ts'
import type { CorrelationTask } from './worker-thread.ts'

/** Threads at once; each takes a core. */
const threadSlots = new Semaphore(2)
/** Far more than the largest company needs. */
const TIME_LIMIT_MS = 60_000
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 }

/** Analyses deals in a thread: 1,000 resamples of 20,000 deals take half a second. @throws the signal's reason */
export async function analyseInThread(task: CorrelationTask, signal: AbortSignal): Promise<CorrelationFindings> {
  // The thread of an aborted request ends and frees its slot, while the request is answered at once.
  return await Promise.race([threadSlots.runExclusive(() => runThread(task, signal)), rejectOnAbort(signal)])
}

async function runThread(workerData: CorrelationTask, signal: AbortSignal): Promise<CorrelationFindings> {
  signal.throwIfAborted()
  const worker = new Worker(resolveThreadFile('correlation-worker'), { workerData, resourceLimits: HEAP_LIMITS })
  const limit = createTimeoutSignal(TIME_LIMIT_MS, signal)
  try {
    const result = new Promise<CorrelationFindings>((resolve, reject) => {
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
