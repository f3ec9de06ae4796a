import { Semaphore, withTimeout, type SemaphoreInterface } from 'async-mutex'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import type { Config } from '../../platform/config/config.ts'
import { HttpError, tooManyRequestsError } from '../../platform/errors.ts'
import { formatNetworkKey } from '../../platform/lib/client-address.ts'
import { generateId } from '../../platform/lib/ids.ts'

/** Limits the wait of an attempt for running attempts of the same counter. */
const MAX_WAIT_MS = 20_000
/** Running attempts can belong to another process, so waiting attempts poll. */
const POLL_INTERVAL_MS = 40
/** Drops the running attempts of a crashed process from the count after this time. */
const ATTEMPT_EXPIRY_MS = 60_000

/** Identifies a counter: the client address of a login, or the person who changes their own password. */
type ThrottleSubject = { address: string } | { personId: string }

/** Counts logins by network. Password changes are counted by person, so that neither uses up the attempts of the other. */
const formatCounterKey = (subject: ThrottleSubject): string =>
  'address' in subject ? formatNetworkKey(subject.address) : `person-${subject.personId}`

/**
 * Counts failed logins by client network, and wrong current passwords by person. All API processes share the counts in Redis;
 * without Redis, each process counts alone.
 */
export class LoginThrottle {
  private readonly failures: RateLimiterRedis
  private readonly limit: number
  private readonly prefix: string
  private readonly redis: Redis
  /** Maps counter keys to the running and waiting attempts of this process. */
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
   * Runs one attempt to prove a password. Failures and running attempts together never exceed the limit, so parallel attempts
   * gain nothing. If only running attempts reach the limit, the next one waits for them.
   * @param onRejected called for the first attempt beyond the limit of a window
   * @throws HttpError 429 with Retry-After after too many failures, or after 20 s of waiting
   */
  async runAttempt<T>(subject: ThrottleSubject, work: () => Promise<T>, onRejected: () => Promise<void>): Promise<T> {
    const counterKey = formatCounterKey(subject)
    const queue = this.queues.get(counterKey) ?? { slots: this.createSlots(), members: 0, underWay: 0 }
    this.queues.set(counterKey, queue)
    queue.members++
    try {
      const deadline = performance.now() + MAX_WAIT_MS
      const [, release] = await queue.slots.acquire()
      try {
        return await this.runWhenAllowed(counterKey, deadline, work, onRejected)
      } finally {
        release()
      }
    } finally {
      if (--queue.members === 0) this.queues.delete(counterKey)
    }
  }

  private createSlots(): SemaphoreInterface {
    return withTimeout(new Semaphore(this.limit), MAX_WAIT_MS, tooManyRequestsError(1))
  }

  private async runWhenAllowed<T>(
    counterKey: string,
    deadline: number,
    work: () => Promise<T>,
    onRejected: () => Promise<void>,
  ): Promise<T> {
    const token = generateId()
    while (!(await this.tryBegin(counterKey, token, onRejected))) {
      if (performance.now() > deadline) throw tooManyRequestsError(1)
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS * (0.5 + Math.random())))
    }
    try {
      return await work()
    } catch (error) {
      // Count the failure before the attempt stops counting as running; otherwise another attempt exceeds the limit.
      if (error instanceof HttpError && error.statusCode < 500) await this.failures.penalty(counterKey)
      throw error
    } finally {
      await this.end(counterKey, token)
    }
  }

  /** Starts the attempt if failed and running attempts are below the limit. @returns false if the attempt has to wait */
  private async tryBegin(counterKey: string, token: string, onRejected: () => Promise<void>): Promise<boolean> {
    const runningCount = await this.addRunningAttempt(counterKey, token)
    try {
      const counter = await this.failures.get(counterKey)
      const failedCount = counter?.consumedPoints ?? 0
      if (failedCount >= this.limit) await this.reject(counterKey, failedCount, counter!.msBeforeNext, onRejected)
      if (failedCount + runningCount <= this.limit) return true
    } catch (error) {
      await this.end(counterKey, token)
      throw error
    }
    await this.end(counterKey, token)
    return false
  }

  private async reject(
    counterKey: string,
    failedCount: number,
    msBeforeNext: number,
    onRejected: () => Promise<void>,
  ): Promise<never> {
    const isFirst =
      failedCount === this.limit && (await this.failures.penalty(counterKey)).consumedPoints === this.limit + 1
    if (isFirst) await onRejected()
    throw tooManyRequestsError(Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }

  /** Adds the attempt. @returns the number of running attempts in all processes, or in this process without Redis */
  private async addRunningAttempt(counterKey: string, token: string): Promise<number> {
    const ownCount = ++this.queues.get(counterKey)!.underWay
    if (this.redis.status !== 'ready') return ownCount
    const key = `${this.prefix}:${counterKey}`
    const now = Date.now()
    const replies = await this.redis
      .multi()
      .zremrangebyscore(key, 0, now - ATTEMPT_EXPIRY_MS)
      .zadd(key, now, token)
      .zcard(key)
      .pexpire(key, ATTEMPT_EXPIRY_MS)
      .exec()
      .catch(() => null)
    return Number(replies?.[2]?.[1] ?? ownCount)
  }

  private async end(counterKey: string, token: string): Promise<void> {
    this.queues.get(counterKey)!.underWay--
    if (this.redis.status !== 'ready') return
    await this.redis.zrem(`${this.prefix}:${counterKey}`, token).catch(() => undefined)
  }
}
