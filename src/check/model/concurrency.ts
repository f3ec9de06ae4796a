import { Semaphore } from 'async-mutex'
import type { Core } from '../../platform/core.ts'

const slots = new WeakMap<Core, Semaphore>()

/** Runs at most ANALYSIS_CONCURRENCY pieces of work at once in this process. @throws the signal's reason */
export async function withConcurrencyLimit<Result>(core: Core, signal: AbortSignal, work: () => Promise<Result>) {
  const release = await slotOf(core, signal)
  try {
    return await work()
  } finally {
    release()
  }
}

function slotOf(core: Core, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  let semaphore = slots.get(core)
  if (!semaphore) slots.set(core, (semaphore = new Semaphore(core.config.ANALYSIS_CONCURRENCY)))
  const slot = semaphore.acquire()
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error)
    signal.addEventListener('abort', leave, { once: true })
    slot.then(([, release]) => {
      signal.removeEventListener('abort', leave)
      // An aborted request passes its slot to the next one.
      if (signal.aborted) release()
      else resolve(release)
    }, reject)
  })
}
