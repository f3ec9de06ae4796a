import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { TryLater } from '../model/client.ts'
import { deleteCachedReplies } from '../model/reply-cache.ts'
import { modelCause } from '../model/state.ts'
import { pauseAfter, recordFailure } from '../../platform/queue/claims.ts'
import type { Claim, JobFailed, Queue } from '../../platform/queue/queue.ts'
import { analysisMessages } from './messages.ts'
import { checkCall, type CheckResult } from './check.ts'
import { storeCheck } from './store.ts'

/** Checks of calls. A failed check does not change the transcript. */
export const analysisQueue: Queue<CheckResult> = {
  name: 'analysis',
  table: 'analyses',
  recordingColumn: 'recording_id',
  order: 'priority DESC, created_at, id',
  concurrency: ({ config }) => config.ANALYSIS_CONCURRENCY,
  attempts: () => 5,
  firstPauseSeconds: () => 30,
  leaseSeconds: 30,
  messages: {
    workerDied: analysisMessages.workerDied(),
    broken: analysisMessages.broken(),
  },
  pauseCause: modelCause,
  isReady: async ({ config }) => config.ANALYSIS_PROVIDER !== 'none',
  run: checkCall,
  store: storeCheck,
  fail: failCheck,
  // A check that a later one replaced would only cost again.
  retryable: `NOT EXISTS (SELECT FROM analyses l
                           WHERE l.recording_id = j.recording_id AND l.id > j.id AND l.status <> 'CANCELLED')`,
}

/** Spreads retries, so that processes that failed together do not retry together. */
const JITTER = 0.25

/** Records a failed attempt; a model can set the time of the next one. After the last attempt, cached replies are deleted. */
function failCheck({ db, config }: Core, claim: Claim, failure: JobFailed): Promise<AttemptOutcome> {
  return transaction(db, async (sql) => {
    const outcome = await recordFailure(sql, config, claim, failure, {}, pauseOf(config, claim, failure))
    if (outcome === 'failed') await deleteCachedReplies(sql, [claim.id])
    return outcome
  })
}

function pauseOf(config: Config, claim: Claim, failure: JobFailed): number {
  const own = pauseAfter(config, claim)
  if (!(failure instanceof TryLater)) return own
  return (failure.afterSeconds ?? own) * (1 + Math.random() * JITTER)
}
