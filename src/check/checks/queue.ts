import type { Config } from '../../platform/config/config.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { RetryableModelError } from '../model/client.ts'
import { deleteCachedReplies } from '../model/reply-cache.ts'
import { hashModelConfig } from '../model/model-pause.ts'
import { computePauseSeconds, recordFailure } from '../../platform/queue/claims.ts'
import type { Claim, JobFailedError, Queue } from '../../platform/queue/queue.ts'
import { analysisMessages } from './messages.ts'
import { checkCall, type CheckResult } from './check-call.ts'
import { storeCheckResult } from './store.ts'

/** The queue of call checks. A failed check leaves the transcript unchanged. */
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
  pauseCause: hashModelConfig,
  isReady: async ({ config }) => config.ANALYSIS_PROVIDER !== 'none',
  run: checkCall,
  store: storeCheckResult,
  fail: recordCheckFailure,
  // Do not retry a check that a later one replaced: a model would be paid twice.
  retryable: `NOT EXISTS (SELECT FROM analyses l
                           WHERE l.recording_id = j.recording_id AND l.id > j.id AND l.status <> 'CANCELLED')`,
}

/** The random share added to a pause, so that processes that failed together do not retry together. */
const RETRY_JITTER = 0.25

/** Records a failed attempt. The pause is the one that the model requested, if any. The last attempt deletes cached replies. */
function recordCheckFailure({ db, config }: Core, claim: Claim, failure: JobFailedError): Promise<AttemptOutcome> {
  return runInTransaction(db, async (sql) => {
    const outcome = await recordFailure(sql, config, claim, failure, {}, calculatePauseSeconds(config, claim, failure))
    if (outcome === 'failed') await deleteCachedReplies(sql, [claim.id])
    return outcome
  })
}

function calculatePauseSeconds(config: Config, claim: Claim, failure: JobFailedError): number {
  const defaultSeconds = computePauseSeconds(config, claim)
  if (!(failure instanceof RetryableModelError)) return defaultSeconds
  return (failure.afterSeconds ?? defaultSeconds) * (1 + Math.random() * RETRY_JITTER)
}
