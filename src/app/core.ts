import { LoginThrottle } from '../people/auth/login-throttle.ts'
import type { Config } from '../platform/config/config.ts'
import type { CallsCore } from '../calls/core.ts'
import type { CheckCore } from '../check/core.ts'
import type { PeopleCore } from '../people/core.ts'
import { connectDatabase, listMissingSessionSettings, poolOf } from '../platform/db/db.ts'
import type { Logger } from '../platform/lib/log.ts'
import { QueueNotifier } from '../platform/queue/notifier.ts'
import { CALL_LISTENERS, CHECK_LISTENERS } from './call-listeners.ts'
import { DATABASE_ENTITIES } from './entities.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { BACKGROUND_QUEUES } from './queues.ts'
import { connectRedis, FAIL_FAST_REDIS_OPTIONS, RedisErrorLog } from '../platform/redis.ts'
import { openAudioStorage } from '../platform/storage/open.ts'
import { StorageOwnership } from '../platform/storage/ownership.ts'
import { RecognizerPool } from '../calls/transcription/recognizers.ts'

/** Extends the core of the modules with the queues that this process knows. */
export interface AppCore extends CallsCore, CheckCore, PeopleCore {
  queues: readonly Queue[]
}

/** In milliseconds. Statements normally take a fraction of this limit, so only a stuck one reaches it. */
export const DATABASE_STATEMENT_LIMIT_MS = 30_000
const QUERY_LIMIT_MS = 35_000

/** The opened core, the notifier on which workers listen, and a function that closes all connections. */
export interface CoreHandle {
  core: AppCore
  notifier: QueueNotifier
  close: () => Promise<void>
}

/**
 * Opens storage, database and Redis.
 * @throws StartError with instructions, for example if the database is unreachable
 */
export async function openAppCore(
  config: Config,
  log: Logger,
  queues: readonly Queue[] = BACKGROUND_QUEUES,
): Promise<CoreHandle> {
  const storage = await openAudioStorage(config)
  const db = await connectDatabase(config.DATABASE_URL!, {
    entities: DATABASE_ENTITIES,
    statementTimeoutMs: DATABASE_STATEMENT_LIMIT_MS,
    queryTimeoutMs: QUERY_LIMIT_MS,
  })
  const toRun = await listMissingSessionSettings(poolOf(db), DATABASE_STATEMENT_LIMIT_MS)
  if (toRun.length > 0) log.warn({ toRun }, 'a pooler drops our session settings; set them for the database user')
  const ownership = new StorageOwnership(db, storage, log)
  void ownership.refresh() // This is not awaited, so that an unresponsive storage does not delay the start.
  const trouble = new RedisErrorLog(config.REDIS_URL!, log)
  const redis = connectRedis(config.REDIS_URL!, trouble, FAIL_FAST_REDIS_OPTIONS)
  redis.on('ready', trouble.reportRecovery)
  const names = queues.map(({ name }) => name)
  const notifier = new QueueNotifier(names, config, log, trouble)
  const core: AppCore = {
    config,
    log,
    db,
    pool: poolOf(db),
    redis,
    storage,
    ownership,
    recognizers: new RecognizerPool(config, log),
    callListeners: CALL_LISTENERS,
    checkListeners: CHECK_LISTENERS,
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
