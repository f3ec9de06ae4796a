import type { Logger } from '../../platform/lib/log.ts'
import { retry } from '../../platform/lib/retry.ts'
import { ModelHubError } from './hub.ts'

/** Limits and pauses of download retries. */
export interface DownloadRetryPolicy {
  /** The maximum number of consecutive interrupted transfers without progress. Each of them costs traffic. */
  attempts: number
  /** The maximum number of consecutive requests without a response, or with a status that allows a retry. */
  idleAttempts: number
  /** Pause after the first failure. Each further failure doubles it. */
  firstPauseMs: number
  /** The maximum pause after doubling. */
  lastPauseMs: number
  /** The maximum pause, also if the hub requests a longer one with Retry-After. */
  longestPauseMs: number
  /** We close a connection that sends no data for this time. */
  stallMs: number
  /** Interval between checks of a lock that another recognizer has. */
  lockMs: number
  /** Interval between progress lines in the log. */
  progressMs: number
}

/** Retries an unreachable hub without limit, because calls can queue until it is reachable again. */
export const DEFAULT_DOWNLOAD_RETRY_POLICY: DownloadRetryPolicy = {
  attempts: 6,
  idleAttempts: Infinity,
  firstPauseMs: 1000,
  lastPauseMs: 30_000,
  longestPauseMs: 300_000,
  stallMs: 60_000,
  lockMs: 1000,
  progressMs: 5000,
}

/**
 * Retries temporary failures of the hub.
 * @param getProgress the number of bytes so far; a new maximum resets the failure count
 * @throws ModelHubError if the failure is permanent or the attempts are used up
 */
export function retryHubFailures<T>(
  { attempts, idleAttempts, firstPauseMs, lastPauseMs, longestPauseMs }: DownloadRetryPolicy,
  log: Logger,
  attempt: () => Promise<T>,
  getProgress: () => number = () => 0,
): Promise<T> {
  let [failures, maxProgress] = [0, getProgress()]
  const pauseMs = (error: unknown) => {
    if (!(error instanceof ModelHubError && error.failure.retryable)) throw error
    // Compare with the maximum, because a server without ranges restarts at 0. Otherwise we could retry without end.
    failures = getProgress() > maxProgress ? 1 : failures + 1
    maxProgress = Math.max(maxProgress, getProgress())
    const { idle, retryAfterMs } = error.failure
    const maxAttempts = idle ? idleAttempts : attempts
    if (failures >= maxAttempts) throw new ModelHubError(`${error.message} Gave up after ${failures} attempts.`)
    const doubled = Math.min(firstPauseMs * 2 ** (failures - 1), lastPauseMs)
    const ms = Math.min(retryAfterMs ?? doubled, longestPauseMs)
    const of = Number.isFinite(maxAttempts) ? maxAttempts : undefined
    log.warn({ attempt: failures, of }, `${error.message} Trying again in ${Math.round(ms / 1000)} s.`)
    return ms
  }
  return retry(attempt, { pauseMs })
}
