import { setFlagsFromString } from 'node:v8'
import { createApi } from '../api.ts'
import { LoginThrottle } from '../auth/throttle.ts'
import { readConfig, type Config } from '../config.ts'
import type { Core } from '../core.ts'
import { connect, pool } from '../db.ts'
import { listenApi } from '../http/app.ts'
import { createProcessLog, type Logger } from '../lib/log.ts'
import { serveMetrics } from '../lib/serve-metrics.ts'
import type { RunningServer } from '../lib/serve.ts'
import { toldToStop, within } from '../lib/stop.ts'
import type { Run } from '../main.ts'
import { missingSettings } from '../pooler.ts'
import { createFirstOwner } from '../people/service.ts'
import { QueueNotifier } from '../queue/notifier.ts'
import { connectRedis, FAILS_FAST, RedisTrouble } from '../redis.ts'
import { openStorage } from '../storage/index.ts'
import { collectMetrics } from '../system/metrics.ts'
import { Ownership, refuseWritesUnlessOurs } from '../storage/ownership.ts'
import { startWorkers } from '../queue/workers.ts'

/** Far above what any statement of ours takes; the answer that it was too much still arrives. */
const STATEMENT_LIMIT_MS = 30_000
const QUERY_LIMIT_MS = 35_000

/** Of the 60 seconds that a stop may take: what running requests get to finish. */
const REQUEST_GRACE_SECONDS = 40

/** When a stop is given up, before the container engine kills the process. */
const STOP_SECONDS = 55

/**
 * How far the heap may grow between two collections of all of it. V8 counts the buffers of a running upload as heap and
 * would else, once it has been idle, collect everything at every 10 MB that arrive.
 */
const HEAP_GROWING_PERCENT = 150

/** Serves /v1 (API_RUN_MODE all, api) and works the queues (all, worker) until told to stop. */
export const run: Run = async (overrides) => {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  const config = readConfig('api', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'api')
  const stopReason = toldToStop()
  const api = await startApi(config, log)
  log.info({ port: api.port, metricsPort: api.metricsPort, mode: config.API_RUN_MODE, version: SVC_VERSION }, 'ready')
  log.info({ reason: await stopReason }, 'stopping')
  // Leases free what a database that answers no more keeps us from handing back.
  const inTime = await within(STOP_SECONDS, api.stop())
  log.info({ inTime }, 'stopped')
  return inTime ? 0 : 1
}

/** The running API. */
export interface RunningApi {
  /** The port it listens on; 0 when it only works the queues. */
  port: number
  /** Where its metrics are; undefined where that port was taken. */
  metricsPort: number | undefined
  /** Stops in order: no new requests and work, what runs ends or is handed back, connections close. */
  stop(): Promise<void>
}

/** Starts the API in this process: storage, database, key-value store, workers, HTTP. */
export async function startApi(config: Config, log: Logger): Promise<RunningApi> {
  const opened = await openStorage(config)
  const db = await connect(config.DATABASE_URL!, {
    statementTimeoutMs: STATEMENT_LIMIT_MS,
    queryTimeoutMs: QUERY_LIMIT_MS,
  })
  const toRun = await missingSettings(pool(db))
  if (toRun.length > 0) log.warn({ toRun }, 'a pooler keeps our settings from Postgres: give them to the user')
  const ownership = new Ownership(db, opened, log)
  void ownership.look() // a storage that does not answer holds up no start
  const storage = refuseWritesUnlessOurs(opened, ownership)
  const trouble = new RedisTrouble(config.REDIS_URL!, log)
  const redis = connectRedis(config.REDIS_URL!, trouble, FAILS_FAST)
  redis.on('ready', trouble.isOver)
  const notifier = new QueueNotifier(config, log, trouble)
  const core: Core = { config, log, db, storage, ownership, notify: notifier.notify }

  let server: RunningServer | undefined
  if (config.API_RUN_MODE !== 'worker') {
    await createFirstOwner(core)
    server = await listenApi(createApi(core, redis, new LoginThrottle(config, redis)), config.host, config.apiPort)
  }
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log, () =>
    collectMetrics(core, redis),
  )
  // After the port is ours, so that a start that fails leaves no work claimed; before the first request can notify.
  const stopWorkers = config.API_RUN_MODE === 'api' ? undefined : startWorkers(core, notifier)
  notifier.open()
  return {
    port: server?.port ?? 0,
    metricsPort: metrics?.port,
    async stop() {
      await Promise.all([server?.close(REQUEST_GRACE_SECONDS), stopWorkers?.()])
      await Promise.all([notifier.close(), metrics?.close(0)])
      redis.disconnect()
      await db.destroy()
    },
  }
}
