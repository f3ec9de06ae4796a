import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import type { CheckCore } from '../core.ts'
import { RetryableModelError } from '../model/client.ts'
import { deleteCachedModelReplies } from '../model/reply-cache.ts'
import { hashModelConfig } from '../model/model-pause.ts'
import { computeRetryPauseSeconds, recordJobFailure } from '../../platform/queue/claims.ts'
import type { JobClaim, JobFailedError, Queue } from '../../platform/queue/queue.ts'
import { analysisMessages } from './messages.ts'
import { checkCall, type CallCheckResult } from './check-call.ts'
import { storeCheckResult } from './store.ts'

/** The queue of call checks. A failed check leaves the transcript unchanged. */
export const analysisQueue: Queue<CallCheckResult> = {
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
  pauseCause: hashModelConfig,
  isReady: async ({ config }) => config.ANALYSIS_PROVIDER !== 'none',
  run: checkCall,
  store: (core: CheckCore, claim, result) => storeCheckResult(core, claim, result),
  fail: recordCheckFailure,
  // Do not retry a check that a later one replaced: a model would be paid twice.
  retryable: `NOT EXISTS (SELECT FROM analyses l
                           WHERE l.recording_id = j.recording_id AND l.id > j.id AND l.status <> 'CANCELLED')`,
}

/** The maximum random share added to the pause after a model error, so that checks that failed together do not retry together. */
const RETRY_JITTER = 0.25

/** Records a failed attempt. The pause is the one that the model requested, if any. After the last attempt, deletes the cached replies. */
function recordCheckFailure({ db, config }: Core, claim: JobClaim, failure: JobFailedError): Promise<AttemptOutcome> {
  return runInTransaction(db, async (sql) => {
    const outcome = await recordJobFailure(
      sql,
      config,
      claim,
      failure,
      {},
      calculatePauseSeconds(config, claim, failure),
    )
    if (outcome === 'failed') await deleteCachedModelReplies(sql, [claim.id])
    return outcome
  })
}

function calculatePauseSeconds(config: Config, claim: JobClaim, failure: JobFailedError): number {
  const defaultSeconds = computeRetryPauseSeconds(config, claim)
  if (!(failure instanceof RetryableModelError)) return defaultSeconds
  return (failure.afterSeconds ?? defaultSeconds) * (1 + Math.random() * RETRY_JITTER)
}
