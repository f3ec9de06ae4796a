import { setTimeout as pause } from 'node:timers/promises'

interface RetryOptions {
  /** Maximum number of attempts, including the first; unlimited by default. */
  attempts?: number
  /** Milliseconds before the next attempt. A function receives the last error and the number of failures. */
  pauseMs: number | ((error: unknown, failures: number) => number)
  /** Returns true if a retry can help; by default always. */
  shouldRetry?: (error: unknown, failures: number) => boolean
  /** Aborts the retries and their pauses. */
  signal?: AbortSignal | undefined
}

/** Calls `work` until it succeeds. @throws the last error of `work`, or the reason of `signal` */
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
