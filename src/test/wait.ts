/**
 * Waits for a condition: asks until the answer is truthy.
 * @throws Error when it is not within the limit
 */
export async function until<T>(what: string, ask: () => Promise<T> | T, limitMs = 30_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`waited in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
