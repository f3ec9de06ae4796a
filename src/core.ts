import type { DataSource } from 'typeorm'
import type { Config } from './config.ts'
import type { Logger } from './lib/log.ts'
import type { Notify } from './queue/notifier.ts'
import type { Storage } from './storage/index.ts'
import type { Ownership } from './storage/ownership.ts'

/** What the services need of their surroundings; made once by a command, passed as the first argument. */
export interface Core {
  config: Config
  log: Logger
  db: DataSource
  storage: Storage
  /** Whether the storage is the one of this database. */
  ownership: Ownership
  /** Tells the workers of a queue that it has work; after the commit of what they are to see. */
  notify: Notify
}
