import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'

/** At most so many requests in so many seconds from all processes together; while Redis is away each counts its own. */
export class RateLimit {
  private readonly limiter: RateLimiterRedis

  /** @param name what the limit is for, with what keeps it apart from that of another installation */
  constructor(redis: Redis, name: string, { requests, perSeconds }: { requests: number; perSeconds: number }) {
    const limits = { points: requests, duration: perSeconds, keyPrefix: `${name}:rate` }
    this.limiter = new RateLimiterRedis({
      storeClient: redis,
      ...limits,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(limits),
    })
  }

  /** Resolves when a request may be made. @throws the signal's reason */
  async turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const waitMs = await this.take()
      if (waitMs === 0) return
      await pause(waitMs, undefined, { signal })
    }
  }

  /** Takes one request of the limit. @returns 0, or after how many milliseconds to ask again */
  private async take(): Promise<number> {
    try {
      await this.limiter.consume('requests')
      return 0
    } catch (refused) {
      if (refused instanceof Error) throw refused
      return Math.max(1, (refused as RateLimiterRes).msBeforeNext)
    }
  }
}
