import type { Logger } from '../../platform/lib/log.ts'
import { retry } from '../../platform/lib/retry.ts'
import { HubError } from './hub.ts'

/** How often and how fast downloads are retried. */
export interface RetryPolicy {
  /** Interrupted transfers without a new byte before it gives up: each costs as much as the one before. */
  attempts: number
  /** Requests without a response, or with a request to retry later, before it gives up. */
  idleAttempts: number
  /** Pause after the first failure; doubled each time. */
  firstPauseMs: number
  /** The longest pause after doubling. */
  lastPauseMs: number
  /** The longest pause that the hub can request. */
  longestPauseMs: number
  /** A connection without data for this time is broken. */
  stallMs: number
  /** Interval of checks of a lock that another recognizer holds. */
  lockMs: number
  /** Interval of progress lines in the log. */
  progressMs: number
}

/** We retry an unreachable hub without end: calls are accepted meanwhile, and networks recover. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  idleAttempts: Infinity,
  firstPauseMs: 1000,
  lastPauseMs: 30_000,
  longestPauseMs: 300_000,
  stallMs: 60_000,
  lockMs: 1000,
  progressMs: 5000,
}

/** Retries temporary failures. When `getProgress()` grows, the count of failures restarts. */
export function retryHubFailures<T>(
  { attempts, idleAttempts, firstPauseMs, lastPauseMs, longestPauseMs }: RetryPolicy,
  log: Logger,
  attempt: () => Promise<T>,
  getProgress: () => number = () => 0,
): Promise<T> {
  let [failures, maxProgress] = [0, getProgress()]
  const pauseMs = (error: unknown) => {
    if (!(error instanceof HubError && error.failure.retryable)) throw error
    // Otherwise we would request the same bytes from a server without ranges again and again.
    failures = getProgress() > maxProgress ? 1 : failures + 1
    maxProgress = Math.max(maxProgress, getProgress())
    const { idle, retryAfterMs } = error.failure
    const maxAttempts = idle ? idleAttempts : attempts
    if (failures >= maxAttempts) throw new HubError(`${error.message} Gave up after ${failures} attempts.`)
    const doubled = Math.min(firstPauseMs * 2 ** (failures - 1), lastPauseMs)
    const ms = Math.min(retryAfterMs ?? doubled, longestPauseMs)
    const of = Number.isFinite(maxAttempts) ? maxAttempts : undefined
    log.warn({ attempt: failures, of }, `${error.message} Trying again in ${Math.round(ms / 1000)} s.`)
    return ms
  }
  return retry(attempt, { pauseMs })
}
