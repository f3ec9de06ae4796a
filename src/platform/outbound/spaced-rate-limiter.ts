import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/**
 * Takes the next free time slot by the clock of Redis. Returns the milliseconds until the slot, or the negative rest of a pause.
 */
const TAKE_SLOT_SCRIPT = `
  local rest = redis.call('PTTL', KEYS[2])
  if rest > 0 then return -rest end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local free = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
  redis.call('SET', KEYS[1], string.format('%d', free + ARGV[1]), 'PX', free - now + ARGV[1] + 60000)
  return free - now`

/** Extends the pause of all processes but never shortens it. */
const EXTEND_PAUSE_SCRIPT = `
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end`

/** Spaces requests evenly at a rate per minute across all processes. Without Redis, each process spaces only its own requests. */
export class SpacedRateLimiter {
  private readonly redis: Redis
  private readonly key: string
  private readonly spacingMs: number
  private localNextSlot = 0
  private localPauseUntil = 0

  constructor(redis: Redis, key: string, perMinute: number) {
    this.redis = redis
    this.key = key
    this.spacingMs = Math.ceil(60_000 / perMinute)
  }

  /**
   * Waits for the next slot. @returns 0 if the request is allowed, otherwise the remaining seconds of a pause
   * @throws the reason of `signal`
   */
  async waitForSlot(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted()
    const waitMs = await this.takeSlot()
    if (waitMs <= 0) return -waitMs / 1000
    await pause(waitMs, undefined, { signal })
    return this.fetchPauseSeconds() // a pause can begin during the wait
  }

  /** Pauses the requests of all processes for at least this many seconds. */
  async extendPause(seconds: number): Promise<void> {
    const ms = Math.ceil(seconds * 1000)
    if (ms <= 0) return
    this.localPauseUntil = Math.max(this.localPauseUntil, performance.now() + ms)
    await this.redis.eval(EXTEND_PAUSE_SCRIPT, 1, this.pauseKey, ms).catch(() => undefined)
  }

  private get pauseKey(): string {
    return `${this.key}:rest`
  }

  private async fetchPauseSeconds(): Promise<number> {
    try {
      return Math.max(0, await this.redis.pttl(this.pauseKey)) / 1000
    } catch {
      return Math.max(0, this.localPauseUntil - performance.now()) / 1000
    }
  }

  private async takeSlot(): Promise<number> {
    try {
      return Number(await this.redis.eval(TAKE_SLOT_SCRIPT, 2, this.key, this.pauseKey, this.spacingMs))
    } catch {
      const now = performance.now()
      if (this.localPauseUntil > now) return now - this.localPauseUntil
      const slot = Math.max(now, this.localNextSlot)
      this.localNextSlot = slot + this.spacingMs
      return Math.ceil(slot - now)
    }
  }
}
