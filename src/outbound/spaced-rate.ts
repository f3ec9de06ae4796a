import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/** Takes the next free moment, and says in how many milliseconds it is; by the clock of Redis, which all processes share. */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local free = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
  redis.call('SET', KEYS[1], string.format('%d', free + ARGV[1]), 'PX', free - now + ARGV[1] + 60000)
  return free - now`

/** So many requests a minute from all processes together, evenly spaced; while Redis is away each spaces its own. */
export class SpacedRate {
  private readonly redis: Redis
  private readonly key: string
  private readonly spacingMs: number
  private ownNext = 0

  constructor(redis: Redis, key: string, perMinute: number) {
    this.redis = redis
    this.key = key
    this.spacingMs = Math.ceil(60_000 / perMinute)
  }

  /** Resolves when a request may be made. @throws the signal's reason */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const waitMs = await this.take()
    if (waitMs > 0) await pause(waitMs, undefined, { signal })
  }

  private async take(): Promise<number> {
    try {
      return Number(await this.redis.eval(TAKE, 1, this.key, this.spacingMs))
    } catch {
      const now = performance.now()
      const free = Math.max(now, this.ownNext)
      this.ownNext = free + this.spacingMs
      return Math.ceil(free - now)
    }
  }
}
