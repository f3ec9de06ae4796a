import { loadLemmas } from '../../check/rules/lemmas.ts'
import { createApi } from '../api.ts'
import { readConfig, type Config } from '../../platform/config/config.ts'
import type { AppCore } from '../core.ts'
import { listenApi } from '../../platform/http/app.ts'
import { letHeapGrow } from '../../platform/lib/heap-growth.ts'
import { createProcessLog, type Logger } from '../../platform/lib/log.ts'
import { showComponent } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import type { RunningServer } from '../../platform/lib/serve.ts'
import { toldToStop, within } from '../../platform/lib/stop.ts'
import type { Run } from '../../main.ts'
import { probeChangedWebhook } from '../../crm/automation/service.ts'
import { resetForRelease } from '../../crm/steps/manage.ts'
import { createFirstOwner } from '../../people/people/service.ts'
import type { QueueNotifier } from '../../platform/queue/notifier.ts'
import { liftOutdatedPauses } from '../../platform/queue/pauses.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { startSchedule } from '../../platform/queue/schedule.ts'
import { keepOverdueFiles } from '../../calls/recordings/removals.ts'
import { collectMetrics } from '../system/metrics.ts'
import { startWorkers } from '../../platform/queue/workers.ts'
import { seedRuleSets } from '../../check/rule-sets/seed.ts'
import { openMigratedCore } from './await-schema.ts'
import { STEPS } from '../queues.ts'
import { TASKS } from '../schedule.ts'

/** Of the 60 seconds that a stop may take: what running requests get to finish. */
const REQUEST_GRACE_SECONDS = 40

/** When a stop is given up, before the container engine kills the process. */
const STOP_SECONDS = 55

/** Serves /v1 (API_RUN_MODE all, api) and works the queues (all, worker) until told to stop. */
export const run: Run = async (overrides) => {
  letHeapGrow()
  const config = readConfig('api', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'api')
  const stopReason = toldToStop()
  const api = await Promise.race([loadWords(config, log).then(() => startApi(config, log)), stopReason])
  if (typeof api === 'string') {
    log.info({ reason: api }, 'stopped before it was ready')
    return 0
  }
  log.info({ port: api.port, metricsPort: api.metricsPort, mode: config.API_RUN_MODE, version: SVC_VERSION }, 'ready')
  log.info({ reason: await stopReason }, 'stopping')
  // Leases free what a database that answers no more keeps us from releasing.
  const inTime = await within(STOP_SECONDS, api.stop())
  log.info({ inTime }, 'stopped')
  return inTime ? 0 : 1
}

/** Reading the dictionaries holds the event loop for a while: before anybody waits, not at the first check. */
async function loadWords({ ANALYSIS_PROVIDER }: Config, log: Logger): Promise<void> {
  if (ANALYSIS_PROVIDER === 'none' || ANALYSIS_PROVIDER === 'mock') return
  // Calls are taken and transcribed without them, and a check tries again.
  await loadLemmas().catch((error: unknown) => log.error({ err: error }, 'the dictionaries cannot be read'))
}

export interface RunningApi {
  /** The port it listens on; 0 when it only works the queues. */
  port: number
  /** Where its metrics are; undefined where that port was taken. */
  metricsPort: number | undefined
  /** Stops in order: no new requests and work, what runs ends or is released, connections close. */
  stop(): Promise<void>
}

/** Starts the API in this process: storage, database, key-value store, workers, HTTP. */
export async function startApi(config: Config, log: Logger, queues?: readonly Queue[]): Promise<RunningApi> {
  const { core, notifier, close } = await openMigratedCore(config, log, queues)
  await seedRuleSets(core)
  await resetForRelease(core)
  await liftOutdatedPauses(core)
  await probeChangedWebhook(core)
  let server: RunningServer | undefined
  if (config.API_RUN_MODE !== 'worker') {
    await createFirstOwner(core)
    server = await listenApi(createApi(core), config.host, config.apiPort)
  }
  if (config.API_RUN_MODE !== 'worker') showComponent('http')
  if (config.API_RUN_MODE !== 'api') showComponent('queues')
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log, () => collectMetrics(core))
  if (config.API_RUN_MODE !== 'api') await keepOverdueFiles(core)
  // After the port is ours, so that a start that fails leaves no work claimed; before the first request can notify.
  const stopWorking = config.API_RUN_MODE === 'api' ? undefined : startWorking(core, notifier)
  notifier.open()
  return {
    port: server?.port ?? 0,
    metricsPort: metrics?.port,
    async stop() {
      await Promise.all([server?.close(REQUEST_GRACE_SECONDS), stopWorking?.()])
      await metrics?.close(0)
      await close()
    },
  }
}

/** Starts the queues' workers and the schedule; returns what stops them. */
function startWorking(core: AppCore, notifier: QueueNotifier): () => Promise<void> {
  const stopWorkers = startWorkers(core, notifier)
  const stopSchedule = startSchedule(core, STEPS, TASKS)
  const stopWatching = core.recognizers.watch()
  return async () => {
    stopWatching()
    await Promise.all([stopSchedule(), stopWorkers()])
  }
}
