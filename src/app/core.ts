import { LoginThrottle } from '../people/auth/throttle.ts'
import type { Config } from '../platform/config/config.ts'
import type { CallsCore } from '../calls/core.ts'
import type { PeopleCore } from '../people/core.ts'
import { connect, missingSettings, pool } from '../platform/db/db.ts'
import type { Logger } from '../platform/lib/log.ts'
import { QueueNotifier } from '../platform/queue/notifier.ts'
import { CALL_LISTENERS } from './call-listeners.ts'
import { ENTITIES } from './entities.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { QUEUES } from './queues.ts'
import { connectRedis, FAILS_FAST, RedisTrouble } from '../platform/redis.ts'
import { openStorage } from '../platform/storage/open.ts'
import { Ownership } from '../platform/storage/ownership.ts'
import { Recognizers } from '../calls/transcription/recognizers.ts'

/** The dependencies of the services of all modules. */
export interface AppCore extends CallsCore, PeopleCore {
  queues: readonly Queue[]
}

/** Far more than any of our statements takes; a failure is still reported. */
export const STATEMENT_LIMIT_MS = 30_000
const QUERY_LIMIT_MS = 35_000

/** The core with what it needs to let workers listen and to close them. */
export interface OpenedCore {
  core: AppCore
  notifier: QueueNotifier
  close: () => Promise<void>
}

/** Opens storage, database and key-value store. @throws StartError with the solution */
export async function openCore(config: Config, log: Logger, queues: readonly Queue[] = QUEUES): Promise<OpenedCore> {
  const storage = await openStorage(config)
  const db = await connect(config.DATABASE_URL!, {
    entities: ENTITIES,
    statementTimeoutMs: STATEMENT_LIMIT_MS,
    queryTimeoutMs: QUERY_LIMIT_MS,
  })
  const toRun = await missingSettings(pool(db), STATEMENT_LIMIT_MS)
  if (toRun.length > 0) log.warn({ toRun }, 'a pooler keeps our settings from Postgres: give them to the user')
  const ownership = new Ownership(db, storage, log)
  void ownership.look() // a storage that does not answer holds up no start
  const trouble = new RedisTrouble(config.REDIS_URL!, log)
  const redis = connectRedis(config.REDIS_URL!, trouble, FAILS_FAST)
  redis.on('ready', trouble.isOver)
  const names = queues.map(({ name }) => name)
  const notifier = new QueueNotifier(names, config, log, trouble)
  const core: AppCore = {
    config,
    log,
    db,
    pool: pool(db),
    redis,
    storage,
    ownership,
    recognizers: new Recognizers(config, log),
    callListeners: CALL_LISTENERS,
    queues,
    notify: notifier.notify,
    throttle: new LoginThrottle(config, redis),
  }
  const close = async () => {
    await notifier.close()
    redis.disconnect()
    await db.destroy()
  }
  return { core, notifier, close }
}
