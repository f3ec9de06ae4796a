interface CacheEntry<T> {
  value: Promise<T>
  expiresAt: number
}

/**
 * Caches computed values for `ttlMs` milliseconds. Identical concurrent requests share one computation. Failures are not cached.
 */
export class TtlCache<T> {
  readonly #options: { ttlMs: number; maxEntries: number }
  readonly #entries = new WeakMap<object, Map<string, CacheEntry<T>>>()

  /** @param options.maxEntries maximum number of values per owner; the oldest one is evicted */
  constructor(options: { ttlMs: number; maxEntries: number }) {
    this.#options = options
  }

  /**
   * Returns the cached value of a key, or computes it. @param owner object such as a database; garbage collection frees its
   * values with it
   */
  getOrCompute(owner: object, key: string, compute: () => Promise<T>): Promise<T> {
    const entries = this.#entries.get(owner) ?? new Map<string, CacheEntry<T>>()
    this.#entries.set(owner, entries)
    const cached = entries.get(key)
    if (cached && cached.expiresAt > performance.now()) return cached.value
    const entry = { value: compute(), expiresAt: performance.now() + this.#options.ttlMs }
    // Delete first, because a map keeps the old position of a replaced entry.
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > this.#options.maxEntries) entries.delete(entries.keys().next().value!)
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key)
    })
    return entry.value
  }

  delete(owner: object, key: string): void {
    this.#entries.get(owner)?.delete(key)
  }
}
