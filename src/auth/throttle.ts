import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { HttpError, tooManyRequests } from '../errors.ts'
import { networkOf } from '../lib/client-address.ts'

/** Counts failed logins by client address, shared by all API processes; while Redis is away each counts its own. */
export class LoginThrottle {
  private readonly limiter: RateLimiterRedis
  private readonly limit: number

  constructor(config: Config, redis: Redis) {
    const limits = {
      points: config.LOGIN_MAX_FAILURES,
      duration: config.LOGIN_FAILURE_WINDOW_SECONDS,
      keyPrefix: `${config.QUEUE_PREFIX}:login`,
    }
    this.limit = limits.points
    this.limiter = new RateLimiterRedis({
      storeClient: redis,
      ...limits,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(limits),
    })
  }

  /**
   * Runs one attempt to prove a password from an address. It is counted before it runs, so that many at once gain
   * nothing, and taken back unless the password was wrong.
   * @param refused called for the first attempt of a window that is one too many
   * @throws HttpError 429 with Retry-After when the address has used up its failures
   */
  async attempt<T>(address: string, work: () => Promise<T>, refused: () => Promise<void>): Promise<T> {
    const network = networkOf(address)
    try {
      await this.limiter.consume(network)
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal
      const { consumedPoints, msBeforeNext } = refusal as RateLimiterRes
      if (consumedPoints === this.limit + 1) await refused()
      throw tooManyRequests(Math.max(1, Math.ceil(msBeforeNext / 1000)))
    }
    try {
      const result = await work()
      await this.limiter.reward(network, 1)
      return result
    } catch (error) {
      const isWrong = error instanceof HttpError && error.statusCode < 500
      if (!isWrong) await this.limiter.reward(network, 1)
      throw error
    }
  }
}
