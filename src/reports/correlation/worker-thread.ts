import { parentPort, workerData } from 'node:worker_threads'
import { analyse } from './analyse.ts'
import { parseDeals, seedOf } from './deals.ts'

export interface Task {
  /** The output of readDeals(). */
  deals: string
  replicates: number
}

const { deals, replicates } = workerData as Task
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort!.postMessage(analyse(parseDeals(deals), replicates, seedOf(deals)))
