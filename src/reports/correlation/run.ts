import { Worker } from 'node:worker_threads'
import { Semaphore } from 'async-mutex'
import { sha256 } from '../../platform/lib/crypto.ts'
import { threadFile } from '../../platform/lib/thread-file.ts'
import { withinLimit } from '../../platform/lib/time-limit.ts'
import type { Findings } from './analyse.ts'
import type { Task } from './worker-thread.ts'

/** So many are worked on at once; each takes a core. */
const AT_ONCE = 2
/** So many results are kept, the last ones; each is small. */
const KEPT = 50
/** Far above what the largest company takes. */
const LIMIT_MS = 60_000
const MOST_MEGABYTES = 256
/** What the thread makes by the way is collected early: it takes no longer, and half the memory. */
const MOST_YOUNG_MEGABYTES = 4

interface Running {
  result: Promise<Findings>
  waiting: number
  stop: AbortController
}

const running = new Map<string, Running>()
const kept = new Map<string, Findings>()
const slots = new Semaphore(AT_ONCE)

/**
 * Analyses deals in a thread of their own. Who asks for the same data at once shares it, who asks later gets what is kept;
 * where nobody waits any more, it is stopped.
 * @throws the signal's reason once it is aborted
 */
export async function analyseAside(task: Task, signal: AbortSignal): Promise<Findings> {
  const key = sha256(`${task.replicates} ${task.deals}`).toString('hex')
  const known = kept.get(key)
  if (known) return known
  const shared = running.get(key)
  // What was stopped settles only once its thread has ended, and then has no answer for anybody.
  const work = !shared || shared.stop.signal.aborted ? begin(key, task) : shared
  work.waiting++
  try {
    return await Promise.race([work.result, aborted(signal)])
  } finally {
    if (--work.waiting === 0) work.stop.abort(new Error('nobody waits'))
  }
}

function begin(key: string, task: Task): Running {
  const stop = new AbortController()
  const result = slots
    .runExclusive(() => inThread(task, stop.signal))
    .then((findings) => {
      kept.set(key, findings)
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
      return findings
    })
    .finally(() => {
      if (running.get(key) === work) running.delete(key)
    })
  result.catch(() => undefined) // whoever waits hears of it
  const work: Running = { result, waiting: 0, stop }
  running.set(key, work)
  return work
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

async function inThread(workerData: Task, stop: AbortSignal): Promise<Findings> {
  stop.throwIfAborted()
  const worker = new Worker(threadFile('correlation-worker'), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES, maxYoungGenerationSizeMb: MOST_YOUNG_MEGABYTES },
  })
  const limit = withinLimit(LIMIT_MS, stop)
  try {
    const answered = new Promise<Findings>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    return await Promise.race([answered, aborted(limit)])
  } finally {
    await worker.terminate()
  }
}
