import { loadMorphology } from '../../platform/lib/morphology.ts'
import { createApiApp } from '../api.ts'
import type { Config } from '../../platform/config/config.ts'
import { type AppCore, openAppCore, type CoreHandle } from '../core.ts'
import { startApiServer } from '../../platform/http/app.ts'
import { raiseHeapGrowth } from '../../platform/lib/heap-limit.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { markComponentRunning } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import type { RunningHttpServer } from '../../platform/lib/http-server.ts'
import { schedulePortalProbeIfWebhookChanged } from '../../crm/automation/service.ts'
import { resetCrmStepsForRelease } from '../../crm/steps/service.ts'
import { createFirstOwner } from '../../people/people/service.ts'
import type { QueueNotifier } from '../../platform/queue/notifier.ts'
import { endOutdatedQueuePauses } from '../../platform/queue/pauses.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { startTaskSchedule } from '../../platform/queue/schedule.ts'
import { postponeOverdueFileRemovals } from '../../calls/recordings/audio-files.ts'
import { collectMetrics } from '../system/metrics.ts'
import { startQueueWorkers } from '../../platform/queue/workers.ts'
import { seedRuleSets } from '../../check/rule-sets/seed.ts'
import { defineServerCommand } from './command.ts'
import { BACKGROUND_STEPS } from '../queues.ts'
import { SCHEDULED_TASKS } from '../schedule.ts'
import { SchemaTooOldError } from '../../platform/db/db.ts'
import { retry } from '../../platform/lib/retry.ts'

/** Running requests get this part of the 60 seconds of a stop. */
const REQUEST_GRACE_SECONDS = 40

/**
 * The process gives up its stop at this time, before the container engine kills it. If the database does not respond, running
 * jobs cannot be released. Their leases expire instead.
 */
const STOP_LIMIT_SECONDS = 55

/** Serves /v1 if API_RUN_MODE is all or api, and runs the queues if it is all or worker. */
export const run = defineServerCommand('api', async (config, log) => {
  await loadDictionaries(log)
  raiseHeapGrowth()
  const api = await startApi(config, log)
  const { port, metricsPort } = api
  return {
    facts: { port, metricsPort, mode: config.API_RUN_MODE },
    stopSeconds: STOP_LIMIT_SECONDS,
    stop: () => api.stop(),
  }
})

/** Loading the dictionaries blocks the event loop for half a second, so it happens before the API listens. */
async function loadDictionaries(log: Logger): Promise<void> {
  // The API works without dictionaries, apart from search and checks, which try to load them again.
  await loadMorphology().catch((error: unknown) => log.error({ err: error }, 'the dictionaries cannot be read'))
}

/** A started API with its ports and a function that stops it. */
interface RunningApi {
  port: number
  metricsPort: number | undefined
  stop(): Promise<void>
}

/**
 * Starts the API, the metrics server and the workers, according to API_RUN_MODE.
 * @param queues the queues to run; by default all
 */
export async function startApi(config: Config, log: Logger, queues?: readonly Queue[]): Promise<RunningApi> {
  const { core, notifier, close } = await openCoreAfterMigration(config, log, queues)
  await seedRuleSets(core)
  await resetCrmStepsForRelease(core)
  await endOutdatedQueuePauses(core)
  await schedulePortalProbeIfWebhookChanged(core)
  let server: RunningHttpServer | undefined
  if (config.API_RUN_MODE !== 'worker') {
    await createFirstOwner(core)
    server = await startApiServer(createApiApp(core), config.host, config.apiPort)
  }
  if (config.API_RUN_MODE !== 'worker') markComponentRunning('http')
  if (config.API_RUN_MODE !== 'api') markComponentRunning('queues')
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log, () => collectMetrics(core))
  if (config.API_RUN_MODE !== 'api') await postponeOverdueFileRemovals(core)
  // Workers start after the port is bound, so that a failed start claims no jobs, and before the first request can notify them.
  const stopBackgroundWork = config.API_RUN_MODE === 'api' ? undefined : startBackgroundWork(core, notifier)
  notifier.open()
  return {
    port: server?.port ?? 0,
    metricsPort: metrics?.port,
    async stop() {
      await Promise.all([server?.close(REQUEST_GRACE_SECONDS), stopBackgroundWork?.()])
      await metrics?.close(0)
      await close()
    },
  }
}

function startBackgroundWork(core: AppCore, notifier: QueueNotifier): () => Promise<void> {
  const stopWorkers = startQueueWorkers(core, notifier)
  const stopSchedule = startTaskSchedule(core, BACKGROUND_STEPS, SCHEDULED_TASKS)
  const stopWatching = core.recognizers.startPolling()
  return async () => {
    stopWatching()
    await Promise.all([stopSchedule(), stopWorkers()])
  }
}

/**
 * Opens the core and retries while the schema is older than this release, because the API can start before `migrate`.
 * @throws StartError if the schema is still older after DATABASE_WAIT_SECONDS
 */
function openCoreAfterMigration(config: Config, log: Logger, queues?: readonly Queue[]): Promise<CoreHandle> {
  const deadline = performance.now() + config.DATABASE_WAIT_SECONDS * 1000
  return retry(() => openAppCore(config, log, queues), {
    pauseMs: 1000,
    shouldRetry(error, failures) {
      if (!(error instanceof SchemaTooOldError) || performance.now() > deadline) return false
      if (failures === 1) log.info('the schema is older than this version: waiting for migrate')
      return true
    },
  })
}
