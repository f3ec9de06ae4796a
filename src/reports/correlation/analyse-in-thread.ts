import { Worker } from 'node:worker_threads'
import { Semaphore } from 'async-mutex'
import { resolveThreadFile } from '../../platform/lib/thread-file.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import type { CorrelationFindings } from './analyse-deals.ts'
import type { CorrelationTask } from './worker-thread.ts'

/** Limits parallel analyses of this process to two, because each occupies a CPU core. */
const threadSlots = new Semaphore(2)
/** An analysis of 20,000 deals takes less than a second, so only a stuck thread reaches this limit. */
const TIME_LIMIT_MS = 60_000
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 }

/**
 * Runs analyseScoreCorrelation() in a worker thread. 1,000 resamples of 20,000 deals take less than a second.
 * @throws the reason of `signal` if it is aborted; an error after 60 s
 */
export async function analyseScoreCorrelationInThread(
  task: CorrelationTask,
  signal: AbortSignal,
): Promise<CorrelationFindings> {
  // After an abort, the request fails immediately, while the thread terminates and releases its slot.
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
