import type { Core } from '../../platform/core.ts'

/** Long enough to go from page to page, and for a list and what is counted beside it. */
const KEPT_MS = 30_000

interface Entry<T> {
  found: Promise<T>
  until: number
}

/** What was found in the last half minute, by database and by what was asked; also what is still being looked for. */
export class Keeper<T> {
  readonly #most: number
  readonly #kept = new WeakMap<Core['pool'], Map<string, Entry<T>>>()

  /** @param most how many answers are kept at a time */
  constructor(most: number) {
    this.#most = most
  }

  /** What was found before, undefined where it was not, could not be, or is no longer kept. */
  async before({ pool }: Core, key: string): Promise<T | undefined> {
    return this.#of(pool)
      .get(key)
      ?.found.catch(() => undefined)
  }

  /** Keeps what is found from now on, also for those who ask before it is. */
  keep({ pool }: Core, key: string, find: () => Promise<T>): Promise<T> {
    const found = find()
    this.#of(pool).set(key, { found, until: performance.now() + KEPT_MS })
    return found
  }

  drop({ pool }: Core, key: string): void {
    this.#kept.get(pool)?.delete(key)
  }

  #of(pool: Core['pool']): Map<string, Entry<T>> {
    const entries = this.#kept.get(pool) ?? new Map<string, Entry<T>>()
    this.#kept.set(pool, entries)
    const now = performance.now()
    for (const [key, { until }] of entries) if (until < now || entries.size > this.#most) entries.delete(key)
    return entries
  }
}
