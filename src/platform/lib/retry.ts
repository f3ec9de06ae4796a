import { setTimeout as pause } from 'node:timers/promises'

interface RetryOptions {
  /** Attempts at most, the first one included; unlimited by default. */
  attempts?: number
  /** Milliseconds before the next attempt; a function receives the last error and the number of failures so far. */
  pauseMs: number | ((error: unknown, failures: number) => number)
  /** Whether the error can pass; by default every error can. */
  shouldRetry?: (error: unknown, failures: number) => boolean
  /** Ends the retries and their pauses. */
  signal?: AbortSignal | undefined
}

/** Runs `work` until it succeeds. @throws the last error of `work`, or the reason of `signal` */
export async function retry<T>(
  work: () => T | Promise<T>,
  { attempts = Infinity, pauseMs, shouldRetry = () => true, signal }: RetryOptions,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (failures >= attempts || !shouldRetry(error, failures)) throw error
      const ms = typeof pauseMs === 'number' ? pauseMs : pauseMs(error, failures)
      await pause(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}
