/** The rate limits of a test portal. BITRIX_LIMITS are those of Bitrix24. */
export interface PortalLimitSettings {
  /** The requests per second that drain from the bucket of an address. */
  perSecond: number
  /** The size of the bucket: an address with more requests is blocked. */
  burst: number
  /** The operating time in seconds that one webhook and method can use within ten minutes. */
  operatingSeconds: number
  /** Returns the operating time in seconds of one call of a method. */
  operatingOf: (method: string) => number
  /** True if responses include the operating time. */
  tellsOperating: boolean
  /** Whether the operating time of a batch counts for its nested methods or for `batch`. */
  batchBilling: 'nested' | 'batch'
}

export const BITRIX_LIMITS: PortalLimitSettings = {
  perSecond: 2,
  burst: 50,
  operatingSeconds: 480,
  operatingOf: () => 0.05,
  tellsOperating: true,
  batchBilling: 'nested',
}

/** Disables all limits, for tests that do not measure time. */
export const NO_PORTAL_LIMITS: PortalLimitSettings = {
  ...BITRIX_LIMITS,
  perSecond: Infinity,
  burst: Infinity,
  operatingSeconds: Infinity,
}

/** Limits requests with a leaky bucket per client address, independent of the webhook. */
export class LeakyBuckets {
  private readonly levels = new Map<string, { level: number; at: number }>()

  /**
   * Adds a request to the bucket of an address.
   * @param now milliseconds
   * @returns false if the bucket is full
   */
  tryTake(address: string, now: number, { perSecond, burst }: PortalLimitSettings): boolean {
    if (burst === Infinity) return true
    const { level, at } = this.levels.get(address) ?? { level: 0, at: now }
    const left = Math.max(0, level - ((now - at) / 1000) * perSecond)
    const passes = left + 1 <= burst
    this.levels.set(address, { level: passes ? left + 1 : left, at: now })
    return passes
  }
}

const MINUTE_MS = 60_000
const WINDOW_MINUTES = 10

/** Sums operating times by webhook and method over ten minutes, in buckets of one minute. */
export class PortalOperatingTimes {
  private readonly spent = new Map<string, Map<number, number>>()

  /** Returns the seconds used within the last ten minutes, and the time in milliseconds when the oldest of them expire. */
  loadUsage(key: string, now: number): { seconds: number; resetAt: number } {
    const buckets = this.spent.get(key) ?? new Map<number, number>()
    const minute = Math.floor(now / MINUTE_MS)
    for (const expiredMinute of buckets.keys())
      if (expiredMinute <= minute - WINDOW_MINUTES) buckets.delete(expiredMinute)
    const seconds = [...buckets.values()].reduce((sum, one) => sum + one, 0)
    return { seconds, resetAt: (Math.min(minute, ...buckets.keys()) + WINDOW_MINUTES) * MINUTE_MS }
  }

  addUsage(key: string, now: number, seconds: number): void {
    const buckets = this.spent.get(key) ?? new Map<number, number>()
    this.spent.set(key, buckets)
    const minute = Math.floor(now / MINUTE_MS)
    buckets.set(minute, (buckets.get(minute) ?? 0) + seconds)
  }
}

/** SQL that removes the pauses of the product's rate limiter in every process, for tests that do not measure time. */
export const DISABLE_LIMITER_SQL = `
  CREATE FUNCTION hurry() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.free_at := now(); RETURN NEW; END';
  CREATE TRIGGER hurry BEFORE INSERT OR UPDATE ON crm_limiter FOR EACH ROW EXECUTE FUNCTION hurry()`
