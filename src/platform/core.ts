import type { Sql } from './db/sql.ts'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { DataSource } from 'typeorm'
import type { Config } from './config/config.ts'
import type { Logger } from './lib/log.ts'
import type { NotifyQueue } from './queue/notifier.ts'
import type { AudioStorage } from './storage/storage.ts'
import type { StorageOwnership } from './storage/ownership.ts'

/** The description of a queue for services that do not run it. */
export interface QueueInfo {
  name: string
  /** Hash of the configuration that causes an automatic pause (queue/pauses.ts); absent if the service never pauses the queue. */
  pauseCause?(config: Config): string
}

/** The dependencies of every service. A command opens it once (app/core.ts) and passes it as the first argument. */
export interface Core {
  config: Config
  log: Logger
  db: DataSource
  /** The connection pool of `db`, for plain SQL. */
  pool: Sql & Omit<pg.Pool, 'query'>
  redis: Redis
  storage: AudioStorage
  /** Whether the storage belongs to this database. */
  ownership: StorageOwnership
  /** The queues of background work. Code that runs their jobs takes a QueueCore (queue/queue.ts). */
  queues: readonly QueueInfo[]
  /** Wakes the workers of a queue. Call it after the commit that queued the work. */
  notify: NotifyQueue
}
