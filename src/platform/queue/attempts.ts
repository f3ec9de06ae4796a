import type { Core } from '../core.ts'
import { retryWhileDatabaseDown } from '../db/db.ts'
import { observeJobAttempt, observeClaimDuration, type AttemptOutcome } from '../lib/metrics.ts'
import { StorageUnavailableError } from '../storage/storage.ts'
import { claimExpiredJobs, claimJob, resetLongWaits, recordJobFailure, releaseJobClaim } from './claims.ts'
import { startJobHeartbeat, type JobHeartbeat } from './heartbeat.ts'
import { queuePauseCauseOf, makeQueueProbeDue } from './pauses.ts'
import { type JobClaim, JobClaimLostError, JobFailedError, JobNotReadyError, type Queue } from './queue.ts'
import type { WorkerPoolWork } from './worker-pool.ts'

/** Pauses the claims of a queue in this process for this long after a job found the storage down. */
const STORAGE_PAUSE_SECONDS = 2

interface Attempt {
  claim: JobClaim
  heartbeat: JobHeartbeat
  startedAt: number
  ended?: { result: unknown } | { error: unknown }
  /** True if the job is released because the process stops or a dependency is down. */
  isReleased?: boolean
}

/** Creates the work of a queue for its worker pool: claims a job, runs it and stores the outcome. */
export function createQueueWork(core: Core, queue: Queue): WorkerPoolWork<Attempt> {
  let pausedUntil = 0
  const isPaused = () => performance.now() < pausedUntil
  return {
    async claim() {
      // A pause can begin while isReady() runs, so check again.
      if (isPaused() || (await queue.isReady?.(core)) === false || isPaused()) return undefined
      const claimStartedAt = performance.now()
      const claim = await claimJob(core.pool, queue, queuePauseCauseOf(queue, core.config))
      observeClaimDuration(queue.name, (performance.now() - claimStartedAt) / 1000)
      if (claim && isPaused()) {
        // A pause began during the claim, because a dependency of the jobs is down.
        await retryWhileDatabaseDown(() => releaseJobClaim(core.pool, claim))
        return undefined
      }
      return claim && { claim, heartbeat: startJobHeartbeat(core, claim), startedAt: performance.now() }
    },
    async run(attempt, stopping) {
      const { claim, heartbeat } = attempt
      const signal = AbortSignal.any([stopping, heartbeat.lost])
      try {
        attempt.ended = { result: await queue.run(core, { ...claim, signal, report: heartbeat.report }) }
      } catch (error) {
        attempt.ended = { error }
        // Pause before the job is released; otherwise another worker of this process claims it at once.
        if (isDependencyDown(error)) pausedUntil = performance.now() + pauseSecondsOf(error) * 1000
        attempt.isReleased = isDependencyDown(error) || stopping.aborted
      }
    },
    async store(attempt) {
      try {
        const outcome = await storeOutcome(core, attempt)
        observeJobAttempt(queue.name, outcome, (performance.now() - attempt.startedAt) / 1000)
      } finally {
        attempt.heartbeat.stop()
      }
    },
  }
}

const isDependencyDown = (error: unknown): boolean =>
  error instanceof JobNotReadyError || error instanceof StorageUnavailableError

const pauseSecondsOf = (error: unknown): number =>
  error instanceof JobNotReadyError ? error.pauseSeconds : STORAGE_PAUSE_SECONDS

function findDelay(error: unknown) {
  if (!(error instanceof JobNotReadyError) || error.delaySeconds === undefined) return undefined
  return { seconds: error.delaySeconds, reason: error.reason }
}

/** Stores the outcome of an attempt. Retries during a short outage of the database, because an attempt can take an hour. */
async function storeOutcome(core: Core, { claim, ended, isReleased }: Attempt): Promise<AttemptOutcome> {
  const { queue } = claim
  const log = core.log.child({ queue: queue.name, jobId: claim.id, attempt: claim.attempt })
  try {
    if ('error' in ended!) throw ended.error
    const { result } = ended!
    const outcome = await retryWhileDatabaseDown(() => queue.store(core, claim, result))
    if (claim.isProbe && outcome === 'done')
      await retryWhileDatabaseDown(() => makeQueueProbeDue(core.pool, queue.name))
    return outcome
  } catch (error) {
    if (error instanceof JobClaimLostError) {
      log.info('the claim was lost: cancelled, deleted or rescued')
      return 'lost'
    }
    if (isReleased) {
      await retryWhileDatabaseDown(() => releaseJobClaim(core.pool, claim, findDelay(error)))
      // A stop interrupted the probe without a result, so let the next start probe at once.
      if (claim.isProbe && !isDependencyDown(error))
        await retryWhileDatabaseDown(() => makeQueueProbeDue(core.pool, queue.name))
      log.info({ reason: isDependencyDown(error) ? (error as Error).message : 'stopping' }, 'released')
      return 'released'
    }
    if (!(error instanceof JobFailedError)) log.error({ err: error }, 'a job failed unexpectedly')
    log.warn({ reason: (error as Error).message }, 'the attempt failed')
    return retryWhileDatabaseDown(() => recordFailedAttempt(core, claim, error))
  }
}

function recordFailedAttempt(core: Core, claim: JobClaim, error: unknown): Promise<AttemptOutcome> {
  const { queue } = claim
  const failure = error instanceof JobFailedError ? error : new JobFailedError(queue.messages.broken)
  return queue.fail ? queue.fail(core, claim, failure) : recordJobFailure(core.pool, core.config, claim, failure)
}

/** Takes over jobs with an expired lease and counts a failed attempt, so that a job that crashes its workers finally fails. */
export async function rescueExpiredJobs(core: Core, queue: Queue): Promise<void> {
  for (const claim of await claimExpiredJobs(core.pool, queue)) {
    const outcome = await recordFailedAttempt(core, claim, new JobFailedError(queue.messages.workerDied))
    // A crashed worker cannot report its outcome.
    observeJobAttempt(queue.name, outcome, claim.seconds)
    const line = { queue: queue.name, jobId: claim.id, attempt: claim.attempt }
    if (outcome !== 'lost') core.log.warn(line, 'a lease expired')
  }
}

/**
 * Repairs schedules and leases if the clock of the database was set back, because jobs otherwise wait until the clock catches up.
 */
export async function repairAfterClockShift(core: Core, queue: Queue): Promise<void> {
  const count = await resetLongWaits(core.pool, core.config, queue)
  if (count > 0) core.log.warn({ queue: queue.name, count }, 'the clock of the database was set back')
}
