import type { Core } from '../core.ts'
import { retryWhileDatabaseDown } from '../db/db.ts'
import { observeAttempt, observeClaim, type AttemptOutcome } from '../lib/metrics.ts'
import { StorageUnavailable } from '../storage/index.ts'
import { claimExpired, claimJob, clampSchedules, recordFailure, release } from './claims.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import { causeOf, probeAgain } from './pauses.ts'
import { type Claim, ClaimLost, JobFailed, NotReady, type Queue } from './queue.ts'
import type { Work } from './worker-pool.ts'

/** How long a queue claims nothing after a job could not run because the storage was down. */
const REST_SECONDS = 2

/** A running attempt, and then how it ended. */
interface Attempt {
  claim: Claim
  heartbeat: Heartbeat
  began: number
  ended?: { result: unknown } | { error: unknown }
  /** Whether to release the job: the process stops, or the work lacks a dependency. */
  isReleased?: boolean
}

/** The work of a queue, as its worker pool runs it. */
export function workOf(core: Core, queue: Queue): Work<Attempt> {
  let restsUntil = 0
  const rests = () => performance.now() < restsUntil
  return {
    async claim() {
      // A pause can begin while the check whether the queue is ready is running.
      if (rests() || (await queue.isReady?.(core)) === false || rests()) return undefined
      const began = performance.now()
      const claim = await claimJob(core.pool, queue, causeOf(queue, core.config))
      observeClaim(queue.name, (performance.now() - began) / 1000)
      if (claim && rests()) {
        // A pause began during the claim: otherwise the job that caused it would be retried at once.
        await retryWhileDatabaseDown(() => release(core.pool, claim))
        return undefined
      }
      return claim && { claim, heartbeat: startHeartbeat(core, claim), began: performance.now() }
    },
    async run(attempt, stopping) {
      const { claim, heartbeat } = attempt
      const signal = AbortSignal.any([stopping, heartbeat.lost])
      try {
        attempt.ended = { result: await queue.run(core, { ...claim, signal, report: heartbeat.report }) }
      } catch (error) {
        attempt.ended = { error }
        // Before the job is back in the queue, where another worker of this process would claim it at once.
        if (isAway(error)) restsUntil = performance.now() + restSecondsOf(error) * 1000
        attempt.isReleased = isAway(error) || stopping.aborted
      }
    },
    async store(attempt) {
      try {
        const outcome = await settle(core, attempt)
        observeAttempt(queue.name, outcome, (performance.now() - attempt.began) / 1000)
      } finally {
        attempt.heartbeat.stop()
      }
    },
  }
}

const isAway = (error: unknown): boolean => error instanceof NotReady || error instanceof StorageUnavailable

const restSecondsOf = (error: unknown): number => (error instanceof NotReady ? error.restSeconds : REST_SECONDS)

function laterOf(error: unknown) {
  if (!(error instanceof NotReady) || error.laterSeconds === undefined) return undefined
  return { seconds: error.laterSeconds, reason: error.reason }
}

/** Stores the end of an attempt. A short outage of the database must not cost the work of an hour. */
async function settle(core: Core, { claim, ended, isReleased }: Attempt): Promise<AttemptOutcome> {
  const { queue } = claim
  const log = core.log.child({ queue: queue.name, jobId: claim.id, attempt: claim.attempt })
  try {
    if ('error' in ended!) throw ended.error
    const { result } = ended!
    const outcome = await retryWhileDatabaseDown(() => queue.store(core, claim, result))
    if (claim.isProbe && outcome === 'done') await retryWhileDatabaseDown(() => probeAgain(core.pool, queue.name))
    return outcome
  } catch (error) {
    if (error instanceof ClaimLost) {
      log.info('the claim was lost: cancelled, deleted or rescued')
      return 'lost'
    }
    if (isReleased) {
      await retryWhileDatabaseDown(() => release(core.pool, claim, laterOf(error)))
      // A probe interrupted by a stop has no result, so the next start probes at once.
      if (claim.isProbe && !isAway(error)) await retryWhileDatabaseDown(() => probeAgain(core.pool, queue.name))
      log.info({ reason: isAway(error) ? (error as Error).message : 'stopping' }, 'released')
      return 'released'
    }
    if (!(error instanceof JobFailed)) log.error({ err: error }, 'a job broke')
    log.warn({ reason: (error as Error).message }, 'the attempt failed')
    return retryWhileDatabaseDown(() => fail(core, claim, error))
  }
}

function fail(core: Core, claim: Claim, error: unknown): Promise<AttemptOutcome> {
  const { queue } = claim
  const failure = error instanceof JobFailed ? error : new JobFailed(queue.messages.broken)
  return queue.fail ? queue.fail(core, claim, failure) : recordFailure(core.pool, core.config, claim, failure)
}

/** Jobs whose worker crashed count as failed attempts, so that a job that crashes its workers ends some day. */
export async function rescueExpired(core: Core, queue: Queue): Promise<void> {
  for (const claim of await claimExpired(core.pool, queue)) {
    const outcome = await fail(core, claim, new JobFailed(queue.messages.workerDied))
    // A crashed worker cannot report how its attempt ended.
    observeAttempt(queue.name, outcome, claim.seconds)
    const line = { queue: queue.name, jobId: claim.id, attempt: claim.attempt }
    if (outcome !== 'lost') core.log.warn(line, 'a claim ran out')
  }
}

/** After the clock of the database was set back, jobs would wait until it catches up. */
export async function repairAfterClockShift(core: Core, queue: Queue): Promise<void> {
  const count = await clampSchedules(core.pool, core.config, queue)
  if (count > 0) core.log.warn({ queue: queue.name, count }, 'the clock of the database was set back')
}
