import Queue from 'bee-queue'
import { buildCache } from 'bee-queue/lib/lua/index.js'
import type { Redis } from 'ioredis'
import type { Config } from '../config/config.ts'
import type { Logger } from '../lib/log.ts'
import { settlesWithin } from '../lib/shutdown.ts'
import { connectRedis, FAIL_FAST_REDIS_OPTIONS, UNLIMITED_RETRY_REDIS_OPTIONS, type RedisErrorLog } from '../redis.ts'

const CLOSE_TIMEOUT_SECONDS = 5
const RECONNECT_DELAY_MS = 1000

/** Notifies the workers of a queue, so that one of them polls at once. A lost notification only delays a job by a second. */
export type NotifyQueue = (queue: string) => void

interface QueueConnection {
  queue: Queue
  /** Names of bee-queue: `client` sends commands, `bclient` waits for notifications. */
  clients: { client?: Redis; bclient?: Redis }
}

/**
 * Notifies workers through bee-queue. A bee-queue job only means that a queue has work; the jobs themselves are rows in Postgres.
 */
export class QueueNotifier {
  private readonly connections = new Map<string, QueueConnection>()
  private readonly listeners = new Map<string, () => Promise<void>>()
  private isClosed = false

  constructor(
    private readonly names: readonly string[],
    private readonly config: Config,
    private readonly log: Logger,
    private readonly errorLog: RedisErrorLog,
  ) {}

  notify: NotifyQueue = (name) => {
    const { queue, clients } = this.getConnection(name)
    // A disconnected queue stores notifications until they are useless, so drop them.
    if (clients.client?.status !== 'ready') return
    queue.createJob({}).save().catch(this.errorLog.report)
  }

  /**
   * Calls `onNotified` for one notification of a queue at a time. Meanwhile other processes receive the next ones. Call listen()
   * before open().
   */
  listen(name: string, onNotified: () => Promise<void>): void {
    this.listeners.set(name, onNotified)
    this.getConnection(name)
  }

  /** Starts to connect to all queues, so that the first notification is not lost. Does not wait for Redis. */
  open(): void {
    for (const name of this.names) this.getConnection(name)
  }

  async close(): Promise<void> {
    this.isClosed = true
    const connections = [...this.connections.values()]
    const closed = connections.map(({ queue }) => queue.close(2000).catch(() => undefined))
    // queue.close() hangs if Redis does not respond.
    await settlesWithin(CLOSE_TIMEOUT_SECONDS, Promise.all(closed))
    for (const connection of connections) disconnect(connection)
  }

  private getConnection(name: string): QueueConnection {
    if (!this.names.includes(name)) throw new Error(`there is no queue ${name}`)
    return this.connections.get(name) ?? this.connect(name)
  }

  private connect(name: string): QueueConnection {
    const onNotified = this.listeners.get(name)
    const queue = new Queue(name, {
      prefix: this.config.QUEUE_PREFIX,
      autoConnect: false,
      isWorker: onNotified !== undefined,
      getEvents: false,
      sendEvents: false,
      storeJobs: false,
      removeOnSuccess: true,
      removeOnFailure: true,
      stallInterval: 10_000,
    })
    queue.on('error', this.errorLog.report)
    const connection: QueueConnection = { queue, clients: {} }
    this.connections.set(name, connection)
    Object.assign(queue, { makeClient: (part: keyof QueueConnection['clients']) => this.makeClient(connection, part) })
    void queue.connect()
    queue.ready().then(
      () => reloadScriptsOnReconnect(connection, this.errorLog),
      (error: Error) => this.replace(name, connection, error),
    )
    if (onNotified) {
      // Disable the check for stalled jobs: notifications are useless by then, and the check fails while Redis is down, which
      // stops the listening.
      Object.assign(queue, { _doStalledJobCheck: () => queue.ready().then(() => 0) })
      queue.process(1, () => {
        this.log.debug({ queue: name }, 'notified')
        return onNotified()
      })
    }
    return connection
  }

  /** Replaces a method of bee-queue. Connections of the original end the process when Redis rejects the password. */
  private async makeClient(
    { queue, clients }: QueueConnection,
    part: keyof QueueConnection['clients'],
  ): Promise<Redis> {
    const options = part === 'client' ? FAIL_FAST_REDIS_OPTIONS : UNLIMITED_RETRY_REDIS_OPTIONS
    const client = connectRedis(this.config.REDIS_URL!, this.errorLog, options)
    clients[part] = client
    await new Promise<void>((resolve) => client.once('ready', resolve))
    Object.assign(queue, { [part]: client })
    return client
  }

  /** Reconnects after a failed start, because bee-queue does not recover if it cannot load its scripts. */
  private replace(name: string, failedConnection: QueueConnection, error: Error): void {
    if (!this.isClosed) this.errorLog.report(error)
    failedConnection.queue.close(1).catch(() => undefined)
    disconnect(failedConnection)
    setTimeout(() => {
      if (!this.isClosed) this.connect(name)
    }, RECONNECT_DELAY_MS).unref()
  }
}

function disconnect({ clients }: QueueConnection): void {
  for (const client of Object.values(clients)) client.disconnect()
}

/**
 * Reloads the Lua scripts of bee-queue after a reconnect. A restarted Redis has lost them, so every call fails.
 * Also resets the retry delay, which bee-queue doubles without a limit. After ten failures, it is a quarter of an hour.
 */
function reloadScriptsOnReconnect({ queue, clients }: QueueConnection, errorLog: RedisErrorLog): void {
  const client = clients.client!
  client.on('ready', () => {
    Object.assign(queue, { _redisFailureRetryDelay: 0 })
    buildCache(client).catch(errorLog.report)
  })
}
