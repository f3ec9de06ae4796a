/** The portal's limits; a test changes what it needs. */
export interface LimitSettings {
  /** The drain of an address's bucket per second. */
  perSecond: number
  /** The number of requests above which it blocks. */
  burst: number
  /** Seconds of work for one webhook and method within ten minutes. */
  operatingSeconds: number
  /** The operating time of a method's call. */
  operatingOf: (method: string) => number
  /** Whether responses include them. */
  tellsOperating: boolean
  /** Whether the methods in a batch count, or the batch itself. */
  batchBilling: 'nested' | 'batch'
}

export const BITRIX_LIMITS: LimitSettings = {
  perSecond: 2,
  burst: 50,
  operatingSeconds: 480,
  operatingOf: () => 0.05,
  tellsOperating: true,
  batchBilling: 'nested',
}

/** No limits, for tests that do not measure time. */
export const NO_LIMITS: LimitSettings = {
  ...BITRIX_LIMITS,
  perSecond: Infinity,
  burst: Infinity,
  operatingSeconds: Infinity,
}

/** A leaky bucket for each client address, whatever webhook it uses. */
export class LeakyBuckets {
  private readonly levels = new Map<string, { level: number; at: number }>()

  /** @returns whether a request is allowed */
  tryTake(address: string, now: number, { perSecond, burst }: LimitSettings): boolean {
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

/** Seconds of work by webhook and method, in ten buckets of a minute. */
export class OperatingTimes {
  private readonly spent = new Map<string, Map<number, number>>()

  /** Seconds within the last ten minutes, and when the oldest of them expire, in milliseconds. */
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

/** SQL that removes the waits of our own limiter, in every process, for tests that do not measure time. */
export const DISABLE_LIMITER_SQL = `
  CREATE FUNCTION hurry() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.free_at := now(); RETURN NEW; END';
  CREATE TRIGGER hurry BEFORE INSERT OR UPDATE ON crm_limiter FOR EACH ROW EXECUTE FUNCTION hurry()`
