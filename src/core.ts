import type { DataSource } from 'typeorm'
import type { Config } from './config.ts'
import type { Logger } from './lib/log.ts'
import type { Ring } from './queues.ts'
import type { Storage } from './storage/index.ts'

/** What the services need of their surroundings; made once by a command, passed as the first argument. */
export interface Core {
  config: Config
  log: Logger
  db: DataSource
  storage: Storage
  ring: Ring
}
