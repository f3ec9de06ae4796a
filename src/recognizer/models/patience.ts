import type { Logger } from '../../platform/lib/log.ts'
import { retry } from '../../platform/lib/retry.ts'
import { HubError } from './hub.ts'

export interface Patience {
  /** Transfers that broke without a new byte before it gives up: each costs as much as the one before. */
  attempts: number
  /** Requests without an answer, or with one that asks to come later, before it gives up. */
  idleAttempts: number
  /** Pause after the first of them; doubled each time. */
  firstPauseMs: number
  /** The longest pause that doubling leads to. */
  lastPauseMs: number
  /** The longest pause that the hub may ask for. */
  longestPauseMs: number
  /** A connection that brings nothing for so long is broken. */
  stallMs: number
  /** Time between two looks at a lock that another recognizer holds. */
  lockMs: number
  /** Time between two lines of progress in the log. */
  progressMs: number
}

/** A hub that cannot be reached is waited for without end: calls are taken meanwhile, and a network comes back. */
export const PATIENCE: Patience = {
  attempts: 6,
  idleAttempts: Infinity,
  firstPauseMs: 1000,
  lastPauseMs: 30_000,
  longestPauseMs: 300_000,
  stallMs: 60_000,
  lockMs: 1000,
  progressMs: 5000,
}

/** Retries failures that can pass. When `reached` grows, the count of failures begins anew. */
export function persist<T>(
  { attempts, idleAttempts, firstPauseMs, lastPauseMs, longestPauseMs }: Patience,
  log: Logger,
  attempt: () => Promise<T>,
  reached: () => number = () => 0,
): Promise<T> {
  let [failures, furthest] = [0, reached()]
  const pauseMs = (error: unknown) => {
    if (!(error instanceof HubError && error.failure.passing)) throw error
    // Otherwise we would request the same bytes from a server without ranges again and again.
    failures = reached() > furthest ? 1 : failures + 1
    furthest = Math.max(furthest, reached())
    const { idle, retryAfterMs } = error.failure
    const most = idle ? idleAttempts : attempts
    if (failures >= most) throw new HubError(`${error.message} Gave up after ${failures} attempts.`)
    const doubled = Math.min(firstPauseMs * 2 ** (failures - 1), lastPauseMs)
    const ms = Math.min(retryAfterMs ?? doubled, longestPauseMs)
    const of = Number.isFinite(most) ? most : undefined
    log.warn({ attempt: failures, of }, `${error.message} Trying again in ${Math.round(ms / 1000)} s.`)
    return ms
  }
  return retry(attempt, { pauseMs })
}
