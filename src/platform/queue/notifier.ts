import Queue from 'bee-queue'
import { buildCache } from 'bee-queue/lib/lua/index.js'
import type { Redis } from 'ioredis'
import type { Config } from '../config/config.ts'
import type { Logger } from '../lib/log.ts'
import { settlesWithin } from '../lib/shutdown.ts'
import { connectRedis, FAIL_FAST_REDIS_OPTIONS, WAITING_REDIS_OPTIONS, type RedisErrorLog } from '../redis.ts'

const CLOSE_TIMEOUT_SECONDS = 5
const RECONNECT_DELAY_MS = 1000

/** Notifies a queue of work: some worker polls it at once. A lost notification costs a second, never work. */
export type NotifyQueue = (queue: string) => void

/** A queue and the connections under it. */
interface QueueConnection {
  queue: Queue
  /** By bee-queue's names: one for commands, and one that waits for a notification. */
  clients: { client?: Redis; bclient?: Redis }
}

/** Notifies workers: a bee-queue job only means «this queue has work»; the work itself is rows in Postgres. */
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
    // A disconnected queue would store notifications for later, when they are useless.
    if (clients.client?.status !== 'ready') return
    queue.createJob({}).save().catch(this.errorLog.report)
  }

  /** Calls `onNotified` for notifications; while it runs, others go to other processes. Listen before anybody notifies. */
  listen(name: string, onNotified: () => Promise<void>): void {
    this.listeners.set(name, onNotified)
    this.getConnection(name)
  }

  /** Connects the queues, so that the first notification is not lost. A Redis outage is no error: workers also poll. */
  open(): void {
    for (const name of this.names) this.getConnection(name)
  }

  async close(): Promise<void> {
    this.isClosed = true
    const connections = [...this.connections.values()]
    const closed = connections.map(({ queue }) => queue.close(2000).catch(() => undefined))
    // close() hangs if Redis does not respond.
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
      // A stalled notification is useless; and during an outage of Redis, this request would prevent it from listening.
      Object.assign(queue, { _doStalledJobCheck: () => queue.ready().then(() => 0) })
      queue.process(1, () => {
        this.log.debug({ queue: name }, 'notified')
        return onNotified()
      })
    }
    return connection
  }

  /** Replaces bee-queue's own method, whose connections end the process when Redis rejects the password. */
  private async makeClient(
    { queue, clients }: QueueConnection,
    part: keyof QueueConnection['clients'],
  ): Promise<Redis> {
    const options = part === 'client' ? FAIL_FAST_REDIS_OPTIONS : WAITING_REDIS_OPTIONS
    const client = connectRedis(this.config.REDIS_URL!, this.errorLog, options)
    clients[part] = client
    await new Promise<void>((resolve) => client.once('ready', resolve))
    Object.assign(queue, { [part]: client })
    return client
  }

  /** bee-queue loads its scripts once; if that fails half-way, it never recovers. */
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
 * bee-queue loads its Lua scripts once; after a restart of Redis they are missing, and every call would fail. It also doubles
 * its pause with every reconnect until it gets a job, without a limit. After ten reconnects it would not listen for a quarter
 * of an hour.
 */
function reloadScriptsOnReconnect({ queue, clients }: QueueConnection, errorLog: RedisErrorLog): void {
  const client = clients.client!
  client.on('ready', () => {
    Object.assign(queue, { _redisFailureRetryDelay: 0 })
    buildCache(client).catch(errorLog.report)
  })
}
