import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { tooManyRequests } from '../errors.ts'

/** Counts failed logins by client address, shared by all API processes; while Redis is away each counts its own. */
export class LoginThrottle {
  private readonly limiter: RateLimiterRedis

  constructor(config: Config, redis: Redis) {
    const limits = {
      points: config.LOGIN_MAX_FAILURES,
      duration: config.LOGIN_FAILURE_WINDOW_SECONDS,
      keyPrefix: `${config.QUEUE_PREFIX}:login`,
    }
    this.limiter = new RateLimiterRedis({
      storeClient: redis,
      ...limits,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(limits),
    })
  }

  /**
   * Runs one login attempt of an address. It is counted before it runs, so that many at once gain nothing, and
   * taken back when it succeeds.
   * @throws HttpError 429 with Retry-After when the address has used up its failures
   */
  async attempt<T>(address: string, login: () => Promise<T>): Promise<T> {
    await this.limiter.consume(address).catch((refusal: RateLimiterRes | Error) => {
      if (refusal instanceof Error) throw refusal
      throw tooManyRequests(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)))
    })
    const result = await login()
    await this.limiter.reward(address, 1)
    return result
  }
}
