import type { Core } from '../core.ts'
import { retryWhileDatabaseDown } from '../db/db.ts'
import { observeAttempt, observeClaim, type AttemptOutcome } from '../lib/metrics.ts'
import { StorageUnavailable } from '../storage/index.ts'
import { claimExpired, claimJob, clampSchedules, recordFailure, release } from './claims.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import { causeOf, probeAgain } from './pauses.ts'
import { type Claim, ClaimLost, JobFailed, NotReady, type Queue } from './queue.ts'
import type { Work } from './worker-pool.ts'

/** How long a queue claims nothing after a job could not run because the storage was away. */
const REST_SECONDS = 2

/** An attempt under way, and then how its run ended. */
interface Attempt {
  claim: Claim
  heartbeat: Heartbeat
  began: number
  ended?: { result: unknown } | { error: unknown }
  /** Whether to release the job: the process stops, or the work lacks a dependency. */
  isReleased?: boolean
}

/** A queue's work, as its worker pool carries it out. */
export function workOf(core: Core, queue: Queue): Work<Attempt> {
  let restsUntil = 0
  const rests = () => performance.now() < restsUntil
  return {
    async claim() {
      // A rest may begin while the question whether the queue is ready is under way.
      if (rests() || (await queue.isReady?.(core)) === false || rests()) return undefined
      const began = performance.now()
      const claim = await claimJob(core.pool, queue, causeOf(queue, core.config))
      observeClaim(queue.name, (performance.now() - began) / 1000)
      if (claim && rests()) {
        // A rest began while the claim was under way: without this, the job that caused it would be tried again at once.
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
        // Before the job is back in the queue, where another worker of ours would take it at once.
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

/** Stores how an attempt ended. A database that is away for a moment must not cost the work of an hour. */
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
      // A probe that a stop has interrupted has shown nothing: the next start tries at once.
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

/** Jobs whose worker died count as failed attempts: one that kills its worker must end some day. */
export async function rescueExpired(core: Core, queue: Queue): Promise<void> {
  for (const claim of await claimExpired(core.pool, queue)) {
    const outcome = await fail(core, claim, new JobFailed(queue.messages.workerDied))
    // A crashed worker cannot report how its attempt ended.
    observeAttempt(queue.name, outcome, claim.seconds)
    const line = { queue: queue.name, jobId: claim.id, attempt: claim.attempt }
    if (outcome !== 'lost') core.log.warn(line, 'a claim ran out')
  }
}

/** Where the clock of the database was set back, jobs would wait until it is there again. */
export async function repairAfterClockShift(core: Core, queue: Queue): Promise<void> {
  const count = await clampSchedules(core.pool, core.config, queue)
  if (count > 0) core.log.warn({ queue: queue.name, count }, 'the clock of the database was set back')
}
