import { Semaphore, withTimeout, type SemaphoreInterface } from 'async-mutex'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import type { Config } from '../../platform/config/config.ts'
import { HttpError, tooManyRequests } from '../../platform/errors.ts'
import { networkOf } from '../../platform/lib/client-address.ts'
import { newId } from '../../platform/lib/ids.ts'

/** How long an attempt waits for others of its network, which can still fail. */
const MAX_WAIT_MS = 20_000
/** How often it polls for their end; they can run in another process. */
const LOOK_EVERY_MS = 40
/** Attempts of a crashed process expire after this time. */
const MAX_ATTEMPT_MS = 60_000

/** The key by which failed attempts are counted: the address of a login, or the person who changes their own password. */
type Attempter = { address: string } | { personId: string }

/** Logins by network; a person has a counter of their own, so that neither uses up the attempts of the other. */
const counterOf = (who: Attempter): string => ('address' in who ? networkOf(who.address) : `person-${who.personId}`)

/**
 * Counts failed logins by client address, and wrong current passwords by person, shared by all API processes. Without Redis,
 * each process counts alone.
 */
export class LoginThrottle {
  private readonly failures: RateLimiterRedis
  private readonly limit: number
  private readonly prefix: string
  private readonly redis: Redis
  /** By network: this process's running and waiting attempts. */
  private readonly queues = new Map<string, { slots: SemaphoreInterface; members: number; underWay: number }>()

  constructor(config: Config, redis: Redis) {
    const limits = {
      points: config.LOGIN_MAX_FAILURES,
      duration: config.LOGIN_FAILURE_WINDOW_SECONDS,
      keyPrefix: `${config.QUEUE_PREFIX}:login`,
    }
    this.limit = limits.points
    this.prefix = `${limits.keyPrefix}:under-way`
    this.redis = redis
    this.failures = new RateLimiterRedis({
      storeClient: redis,
      ...limits,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(limits),
    })
  }

  /**
   * Runs one attempt to prove a password. Failures and running attempts together never exceed the limit, so parallel
   * attempts gain nothing. If only running attempts reach the limit, the next one waits for them.
   * @param refused called for the first attempt beyond the limit of a window
   * @throws HttpError 429 with Retry-After after too many failures
   */
  async attempt<T>(who: Attempter, work: () => Promise<T>, refused: () => Promise<void>): Promise<T> {
    const network = counterOf(who)
    const queue = this.queues.get(network) ?? { slots: this.createSlots(), members: 0, underWay: 0 }
    this.queues.set(network, queue)
    queue.members++
    try {
      const deadline = performance.now() + MAX_WAIT_MS
      const [, release] = await queue.slots.acquire()
      try {
        return await this.inTurn(network, deadline, work, refused)
      } finally {
        release()
      }
    } finally {
      if (--queue.members === 0) this.queues.delete(network)
    }
  }

  private createSlots(): SemaphoreInterface {
    return withTimeout(new Semaphore(this.limit), MAX_WAIT_MS, tooManyRequests(1))
  }

  private async inTurn<T>(
    network: string,
    deadline: number,
    work: () => Promise<T>,
    refused: () => Promise<void>,
  ): Promise<T> {
    const token = newId()
    while (!(await this.begin(network, token, refused))) {
      if (performance.now() > deadline) throw tooManyRequests(1)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS * (0.5 + Math.random())))
    }
    try {
      return await work()
    } catch (error) {
      // Count the failure before the attempt stops counting as running; otherwise another attempt would exceed the limit.
      if (error instanceof HttpError && error.statusCode < 500) await this.failures.penalty(network)
      throw error
    } finally {
      await this.end(network, token)
    }
  }

  /** Counts the attempt as running if failed and running ones are below the limit. */
  private async begin(network: string, token: string, refused: () => Promise<void>): Promise<boolean> {
    const underWay = await this.countUnderWay(network, token)
    try {
      const known = await this.failures.get(network)
      const failed = known?.consumedPoints ?? 0
      if (failed >= this.limit) await this.refuse(network, failed, known!.msBeforeNext, refused)
      if (failed + underWay <= this.limit) return true
    } catch (error) {
      await this.end(network, token)
      throw error
    }
    await this.end(network, token)
    return false
  }

  private async refuse(
    network: string,
    failed: number,
    msBeforeNext: number,
    refused: () => Promise<void>,
  ): Promise<never> {
    const isFirst = failed === this.limit && (await this.failures.penalty(network)).consumedPoints === this.limit + 1
    if (isFirst) await refused()
    throw tooManyRequests(Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }

  /** Adds an attempt; returns the number of running ones in all processes. */
  private async countUnderWay(network: string, token: string): Promise<number> {
    const own = ++this.queues.get(network)!.underWay
    if (this.redis.status !== 'ready') return own
    const key = `${this.prefix}:${network}`
    const now = Date.now()
    const answers = await this.redis
      .multi()
      .zremrangebyscore(key, 0, now - MAX_ATTEMPT_MS)
      .zadd(key, now, token)
      .zcard(key)
      .pexpire(key, MAX_ATTEMPT_MS)
      .exec()
      .catch(() => null)
    return Number(answers?.[2]?.[1] ?? own)
  }

  private async end(network: string, token: string): Promise<void> {
    this.queues.get(network)!.underWay--
    if (this.redis.status !== 'ready') return
    await this.redis.zrem(`${this.prefix}:${network}`, token).catch(() => undefined)
  }
}
