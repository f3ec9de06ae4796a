type Falsy = false | 0 | '' | null | undefined

const SHORTEST_PAUSE_MS = 20
/** Short enough for brief states, such as a running attempt. */
const LONGEST_PAUSE_MS = 150

/**
 * Waits for a condition: polls until the result is truthy, less often over time, because most checks are requests and cost
 * processor time. Uses a monotonic clock, because tests change the other one.
 * @throws Error if that exceeds the limit
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T> | T,
  limitMs = 120_000,
): Promise<Exclude<NonNullable<T>, Falsy>> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<NonNullable<T>, Falsy>
    const waitedMs = performance.now() - startedAt
    if (waitedMs > limitMs) throw new Error(`waited in vain for: ${what}`)
    const pauseMs = Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
