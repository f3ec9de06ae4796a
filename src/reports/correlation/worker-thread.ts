import { parentPort, workerData } from 'node:worker_threads'
import { analyseScoreCorrelation } from './analyse-deals.ts'
import { parseClosedDeals, deriveRandomSeed } from './closed-deals.ts'

/** The data that analyseScoreCorrelationInThread() passes to the worker thread. */
export interface CorrelationTask {
  /** The text that loadCorrelationData() builds. */
  deals: string
  replicates: number
}

const { deals, replicates } = workerData as CorrelationTask
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort!.postMessage(analyseScoreCorrelation(parseClosedDeals(deals), replicates, deriveRandomSeed(deals)))
