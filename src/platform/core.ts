import type { Sql } from './db/sql.ts'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { DataSource } from 'typeorm'
import type { Config } from './config/config.ts'
import type { Logger } from './lib/log.ts'
import type { NotifyQueue } from './queue/notifier.ts'
import type { AudioStorage } from './storage/storage.ts'
import type { StorageOwnership } from './storage/ownership.ts'

/** Describes a queue for code that does not run its jobs. QueueCore has the full `Queue`. */
export interface QueueInfo {
  name: string
  /**
   * Returns the hash of the configuration that can cause an automatic pause (queue/pauses.ts). Absent if the service never pauses
   * the queue.
   */
  pauseCause?(config: Config): string
}

/** Contains the dependencies of every service. A command creates it once (app/core.ts) and passes it as the first argument. */
export interface Core {
  config: Config
  log: Logger
  db: DataSource
  /** Connection pool of `db` for plain SQL. */
  pool: Sql & Omit<pg.Pool, 'query'>
  redis: Redis
  storage: AudioStorage
  /** Knows whether the storage belongs to this database. */
  ownership: StorageOwnership
  /** Code that runs jobs takes a QueueCore (queue/queue.ts). */
  queues: readonly QueueInfo[]
  /** Wakes the workers of a queue. Call it after the commit that queued the job. */
  notify: NotifyQueue
}
