import type { Step } from '../../platform/queue/steps.ts'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import { ingestionMessages } from './messages.ts'
import { endRun, ingestionSourceOf, isIngestionPaused, type Counts } from './service.ts'
import { takeIn } from './worker.ts'

/** The ingestion of recordings. A storage lists in no order, so each run begins anew; what it has registered it meets as known. */
export const ingestionStep: Step<Counts> = {
  name: 'ingestion',
  table: 'ingestion_runs',
  keyOf(config) {
    const from = ingestionSourceOf(config)
    return from && { source: from.source, prefix: from.prefix }
  },
  intervalSeconds: 10,
  leaseSeconds: 120,
  // What lies in a storage that is another's is not ours to register.
  isReady: async (core) => (await core.ownership.state()) === 'ours' && !(await isIngestionPaused(core)),
  pages: takeIn,
  end: endRun,
  reasonOf: (error) => (error instanceof StorageUnavailable ? error.reason : ingestionMessages.notListed()),
}
