import { parentPort, workerData } from 'node:worker_threads'
import { analyse } from './analyse.ts'
import { readClosed, seedOf } from './deals.ts'

/** What the thread is given. */
export interface Task {
  /** Of readDeals(). */
  deals: string
  replicates: number
}

const { deals, replicates } = workerData as Task
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort!.postMessage(analyse(readClosed(deals), replicates, seedOf(deals)))
