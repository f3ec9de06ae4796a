import Queue from 'bee-queue'
import type { Config } from './config.ts'
import type { Logger } from './lib/log.ts'
import { within } from './lib/stop.ts'

const CLOSE_SECONDS = 5

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
  private readonly config: Config
  private readonly log: Logger

  constructor(config: Config, log: Logger) {
    this.config = config
    this.log = log
  }

  ring: Ring = (name) => {
    const queue = this.queue(name, false)
    // A disconnected client would keep the rings for later, when they mean nothing any more.
    if (!(queue as unknown as { client?: RedisClient }).client?.connected) return
    queue
      .createJob({})
      .save()
      .catch((error: Error) => this.log.debug({ queue: name, reason: error.message }, 'the bell did not ring'))
  }

  /**
   * Calls `onRing` for each ring that this process gets. While it runs, further rings go to other processes.
   */
  listen(name: QueueName, onRing: () => Promise<void>): void {
    this.queue(name, true).process(1, () => {
      this.log.debug({ queue: name }, 'the bell rang')
      return onRing()
    })
  }

  /** Connects the queues, so that the first ring is not lost. Redis that is down is no fault: workers also poll. */
  open(): void {
    for (const name of QUEUES) this.queue(name, false)
  }

  async close(): Promise<void> {
    // The farewell to a Redis that answers no more would wait for ever.
    await within(
      CLOSE_SECONDS,
      Promise.all([...this.queues.values()].map((queue) => queue.close(2000).catch(() => undefined))),
    )
  }

  private queue(name: QueueName, isWorker: boolean): Queue {
    // A worker's queue rings as well; whoever works opens its queues before anybody rings.
    let queue = this.queues.get(name)
    if (queue) return queue
    queue = new Queue(name, {
      prefix: this.config.QUEUE_PREFIX,
      redis: redisOptions(this.config.REDIS_URL!),
      isWorker,
      getEvents: false,
      sendEvents: false,
      storeJobs: false,
      removeOnSuccess: true,
      removeOnFailure: true,
      stallInterval: 10_000,
    })
    queue.on('error', (error: Error) => this.log.debug({ queue: name, reason: error.message }, 'Redis'))
    reviveWhenRedisRestarts(queue, this.log)
    this.queues.set(name, queue)
    return queue
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
  queue
    .ready()
    .then(async () => {
      const { buildCache } = await import('bee-queue/lib/lua/index.js')
      const { client } = queue as unknown as { client: RedisClient }
      client.on('ready', () => {
        Object.assign(queue, { _redisFailureRetryDelay: 0 })
        buildCache(client).catch((error: Error) => log.debug({ reason: error.message }, 'Redis scripts'))
      })
    })
    .catch((error: Error) => log.warn({ reason: error.message }, 'Redis is not to be had; workers poll instead'))
}
