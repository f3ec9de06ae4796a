type Falsy = false | 0 | '' | null | undefined

/**
 * Waits for a condition: asks until the answer is truthy. Its own clock is monotonic: tests may move the other.
 * @throws Error when it is not within the limit
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T> | T,
  limitMs = 120_000,
): Promise<Exclude<NonNullable<T>, Falsy>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<NonNullable<T>, Falsy>
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
