import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { parseConfig } from '../../platform/config/config.ts'
import { createProcessLogger } from '../../platform/lib/log.ts'
import { markComponentRunning, registerRecognizerFilesMetric } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { waitForShutdownRequest } from '../../platform/lib/shutdown.ts'
import type { EngineConfig } from '../../recognizer/engines/engine.ts'
import { loadEngineModule } from '../../recognizer/engines/index.ts'
import { RecognizerJobFolders } from '../../recognizer/job-folders.ts'
import { requireMediaPrograms } from '../../recognizer/media.ts'
import { RecognizerWorkerPool } from '../../recognizer/worker-pool.ts'
import { createRecognizerServer } from '../../recognizer/server.ts'
import type { CommandRunner } from './command.ts'

/** A small young generation saves 30 MB per worker, because workers allocate mostly buffers outside the heap. */
const YOUNG_GENERATION_MB = 3

/**
 * Runs the recognizer until a stop is requested.
 * @returns the exit code
 */
export const run: CommandRunner = async (overrides) => {
  const config = parseConfig('asr', process.env, overrides)
  const log = createProcessLogger(config.LOG_LEVEL, 'asr')
  const stopReason = waitForShutdownRequest()
  const { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir } = config
  const engineConfig: EngineConfig = { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir }
  const engine = await loadEngineModule(ASR_MODEL)

  // In the bundle, the worker file is in the same folder as the chunk of this module.
  const workerFile = new URL('./asr-worker.js', import.meta.url)
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }
  const pool = new RecognizerWorkerPool(() => new Worker(workerFile, { workerData: engineConfig, resourceLimits }), log)
  // Files of a crashed predecessor can fill the disk, so they are removed before the model download, which can take hours.
  const jobs = await RecognizerJobFolders.open(log)
  markComponentRunning('recognizer')
  registerRecognizerFilesMetric(() => pool.queue)
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log)
  const load = async () => {
    requireMediaPrograms()
    const info = await engine.prepare(engineConfig, log)
    await pool.start(config.ASR_MAX_CONCURRENCY)
    return info
  }
  const stopWithError = async (error: Error, message: string) => {
    log.fatal({ err: error }, message)
    await Promise.all([pool.close(), jobs.close()])
    return 1
  }
  const info = await Promise.race([load().catch((error: Error) => error), stopReason])
  if (info instanceof Error)
    return stopWithError(info, `the recognizer cannot start with ${ASR_MODEL}: ${info.message}`)
  if (typeof info === 'string') {
    await Promise.all([pool.close(), jobs.close()])
    return 0
  }
  const lacksLanguageModel = () => engine.lacksLanguageModel?.(engineConfig) ?? false
  const server = createRecognizerServer({ config, info, lacksLanguageModel, pool, jobs, log })
  try {
    await once(server.listen(config.asrPort, config.host), 'listening')
  } catch (error) {
    return stopWithError(error as Error, `port ${config.asrPort} cannot be opened on ${config.host}`)
  }
  log.info({ host: config.host, port: config.asrPort, ...info, files: config.ASR_MAX_CONCURRENCY }, 'ready')

  log.info({ reason: await stopReason }, 'stopping')
  server.close()
  await pool.release()
  server.closeAllConnections()
  await Promise.all([jobs.close(), metrics?.close(0)])
  await pool.close()
  return 0
}
