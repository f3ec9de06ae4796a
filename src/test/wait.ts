type Falsy = false | 0 | '' | null | undefined

const SHORTEST_PAUSE_MS = 20
/** Short enough to see what lasts a moment only, such as an attempt that is running. */
const LONGEST_PAUSE_MS = 150

/**
 * Waits for a condition: asks until the answer is truthy, less often the longer it takes, because most questions are
 * requests and cost processor time. Its own clock is monotonic: tests may move the other.
 * @throws Error when it is not within the limit
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
