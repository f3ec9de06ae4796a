import type { Queue } from '../queue/queue.ts'
import { checkCall, type CheckResult } from './check.ts'
import { storeCheck } from './store.ts'

/** Checks of calls. One that fails leaves the transcript as it is. */
export const analysisQueue: Queue<CheckResult> = {
  name: 'analysis',
  table: 'analyses',
  recordingColumn: 'recording_id',
  order: 'priority DESC, created_at, id',
  concurrency: (config) => config.ANALYSIS_CONCURRENCY,
  attempts: () => 5,
  firstPauseSeconds: () => 30,
  leaseSeconds: 30,
  messages: {
    workerDied: 'The worker stopped in the middle of the check',
    broken: 'The service could not check the call',
  },
  isReady: async ({ config }) => config.ANALYSIS_PROVIDER !== 'none',
  run: checkCall,
  store: storeCheck,
}
