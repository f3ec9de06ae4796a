import { Semaphore } from 'async-mutex'
import type { Core } from '../../platform/core.ts'

const semaphores = new WeakMap<Core, Semaphore>()

/**
 * Runs the work once fewer than ANALYSIS_CONCURRENCY others run in this process.
 * @throws the reason of the signal if it is aborted while waiting
 */
export async function withModelConcurrencyLimit<Result>(core: Core, signal: AbortSignal, work: () => Promise<Result>) {
  const release = await acquireSlot(core, signal)
  try {
    return await work()
  } finally {
    release()
  }
}

function acquireSlot(core: Core, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  let semaphore = semaphores.get(core)
  if (!semaphore) semaphores.set(core, (semaphore = new Semaphore(core.config.ANALYSIS_CONCURRENCY)))
  const slot = semaphore.acquire()
  return new Promise((resolve, reject) => {
    const rejectAborted = () => reject(signal.reason as Error)
    signal.addEventListener('abort', rejectAborted, { once: true })
    slot.then(([, release]) => {
      signal.removeEventListener('abort', rejectAborted)
      // An aborted request releases its slot for the next one.
      if (signal.aborted) release()
      else resolve(release)
    }, reject)
  })
}
