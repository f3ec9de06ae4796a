import Queue from 'bee-queue'
import { buildCache } from 'bee-queue/lib/lua/index.js'
import type { Config } from './config.ts'
import type { Logger } from './lib/log.ts'
import { within } from './lib/stop.ts'

const CLOSE_SECONDS = 5
const RECONNECT_MS = 1000

/** The queues of background work, by the names the API shows. */
export const QUEUES = ['transcription', 'callbacks'] as const
export type QueueName = (typeof QUEUES)[number]

/** Rings a queue: some worker looks for work at once. Losing a ring costs a second, never work. */
export type Ring = (name: QueueName) => void

/** bee-queue's own redis client, as far as we touch it. */
interface RedisClient {
  connected: boolean
  on(event: 'ready', listener: () => void): void
}

/** The doorbell: a bee-queue job says only «this queue has work»; the work itself is rows in Postgres. */
export class Doorbell {
  private readonly queues = new Map<QueueName, Queue>()
  private readonly listeners = new Map<QueueName, () => Promise<void>>()
  private readonly config: Config
  private readonly log: Logger
  private isClosed = false

  constructor(config: Config, log: Logger) {
    this.config = config
    this.log = log
  }

  ring: Ring = (name) => {
    const queue = this.queue(name)
    // A disconnected client would keep the rings for later, when they mean nothing any more.
    if (!(queue as unknown as { client?: RedisClient }).client?.connected) return
    queue
      .createJob({})
      .save()
      .catch((error: Error) => this.log.debug({ queue: name, reason: error.message }, 'the bell did not ring'))
  }

  /**
   * Calls `onRing` for each ring that this process gets. While it runs, further rings go to other processes. Whoever
   * listens does so before anybody rings.
   */
  listen(name: QueueName, onRing: () => Promise<void>): void {
    this.listeners.set(name, onRing)
    this.queue(name)
  }

  /** Connects the queues, so that the first ring is not lost. Redis that is down is no fault: workers also poll. */
  open(): void {
    for (const name of QUEUES) this.queue(name)
  }

  async close(): Promise<void> {
    this.isClosed = true
    const closed = [...this.queues.values()].map((queue) => queue.close(2000).catch(() => undefined))
    // The farewell to a Redis that answers no more would wait for ever.
    await within(CLOSE_SECONDS, Promise.all(closed))
  }

  private queue(name: QueueName): Queue {
    return this.queues.get(name) ?? this.connect(name)
  }

  private connect(name: QueueName): Queue {
    const onRing = this.listeners.get(name)
    const queue = new Queue(name, {
      prefix: this.config.QUEUE_PREFIX,
      redis: redisOptions(this.config.REDIS_URL!),
      isWorker: onRing !== undefined,
      getEvents: false,
      sendEvents: false,
      storeJobs: false,
      removeOnSuccess: true,
      removeOnFailure: true,
      stallInterval: 10_000,
    })
    this.queues.set(name, queue)
    queue.on('error', (error: Error) => this.log.debug({ queue: name, reason: error.message }, 'Redis'))
    queue.ready().then(
      () => reviveWhenRedisRestarts(queue, this.log),
      (error: Error) => this.replace(name, queue, error),
    )
    if (onRing) {
      // A ring that stalled means nothing any more; and were Redis away at this question, it would never listen.
      Object.assign(queue, { _doStalledJobCheck: () => queue.ready().then(() => 0) })
      queue.process(1, () => {
        this.log.debug({ queue: name }, 'the bell rang')
        return onRing()
      })
    }
    return queue
  }

  /** bee-queue connects once; where that breaks half-way, it stays dead for ever. */
  private replace(name: QueueName, dead: Queue, error: Error): void {
    this.log.debug({ queue: name, reason: error.message }, 'Redis was not to be had; trying again')
    dead.close(1).catch(() => undefined)
    setTimeout(() => {
      if (!this.isClosed) this.connect(name)
    }, RECONNECT_MS).unref()
  }
}

/** Options for bee-queue's redis 3 client: reconnect for ever, at most 2 seconds apart. */
function redisOptions(url: string): object {
  return {
    url,
    ...(url.startsWith('rediss:') && { tls: {} }),
    retry_strategy: ({ attempt }: { attempt: number }) => Math.min(attempt * 100, 2000),
  }
}

/**
 * bee-queue loads its Lua scripts once; a Redis that restarted has forgotten them, and every call would fail. And it
 * doubles its pause before it listens again with every break of the connection, without a limit, until it gets a job:
 * after ten breaks it would be deaf for a quarter of an hour.
 */
function reviveWhenRedisRestarts(queue: Queue, log: Logger): void {
  const { client } = queue as unknown as { client: RedisClient }
  client.on('ready', () => {
    Object.assign(queue, { _redisFailureRetryDelay: 0 })
    buildCache(client).catch((error: Error) => log.debug({ reason: error.message }, 'Redis scripts'))
  })
}
