type Falsy = false | 0 | '' | null | undefined

const MIN_PAUSE_MS = 20
/** The pause is short enough to observe brief states, such as a running attempt. */
const MAX_PAUSE_MS = 150

/**
 * Polls until `check` returns a truthy value, and returns this value. Pauses grow over time, because most checks are requests.
 * The limit uses a monotonic clock, because some tests change the system clock.
 * @throws Error after `limitMs`
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T> | T,
  limitMs = 120_000,
): Promise<Exclude<NonNullable<T>, Falsy>> {
  const startedAt = performance.now()
  for (;;) {
    const result = await check()
    if (result) return result as Exclude<NonNullable<T>, Falsy>
    const waitedMs = performance.now() - startedAt
    if (waitedMs > limitMs) throw new Error(`waited in vain for: ${what}`)
    const pauseMs = Math.min(Math.max(waitedMs / 10, MIN_PAUSE_MS), MAX_PAUSE_MS)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
