import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { readConfig } from '../../platform/config/config.ts'
import { createProcessLog } from '../../platform/lib/log.ts'
import { showComponent, showRecognizerFiles } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { shutdownRequested } from '../../platform/lib/stop.ts'
import type { EngineConfig } from '../../recognizer/engines/engine.ts'
import { engineFor } from '../../recognizer/engines/index.ts'
import { Jobs } from '../../recognizer/jobs.ts'
import { requireMediaPrograms } from '../../recognizer/media.ts'
import { Pool } from '../../recognizer/pool.ts'
import { createRecognizer } from '../../recognizer/server.ts'
import type { Run } from './command.ts'

/** Young heap of a worker: most of what it allocates are buffers outside the heap. Saves 30 MB. */
const YOUNG_MEGABYTES = 3

export const run: Run = async (overrides) => {
  const config = readConfig('asr', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'asr')
  const stopReason = shutdownRequested()
  const { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir } = config
  const engineConfig: EngineConfig = { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir }
  const engine = await engineFor(ASR_MODEL)

  // The bundle's worker lies beside the chunk that this module is part of.
  const workerFile = new URL('./asr-worker.js', import.meta.url)
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES }
  const pool = new Pool(() => new Worker(workerFile, { workerData: engineConfig, resourceLimits }), log)
  // Before the model is fetched, which can take hours: files of a crashed predecessor can fill the disk.
  const jobs = await Jobs.open(log)
  showComponent('recognizer')
  showRecognizerFiles(() => pool.queue)
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log)
  const load = async () => {
    requireMediaPrograms()
    const info = await engine.prepare(engineConfig, log)
    await pool.start(config.ASR_MAX_CONCURRENCY)
    return info
  }
  const fail = async (error: Error, message: string) => {
    log.fatal({ err: error }, message)
    await Promise.all([pool.close(), jobs.close()])
    return 1
  }
  const info = await Promise.race([load().catch((error: Error) => error), stopReason])
  if (info instanceof Error) return fail(info, `the recognizer cannot start with ${ASR_MODEL}: ${info.message}`)
  if (typeof info === 'string') {
    await Promise.all([pool.close(), jobs.close()])
    return 0
  }
  const lacksLanguageModel = () => engine.lacksLanguageModel?.(engineConfig) ?? false
  const server = createRecognizer({ config, info, lacksLanguageModel, pool, jobs, log })
  try {
    await once(server.listen(config.asrPort, config.host), 'listening')
  } catch (error) {
    return fail(error as Error, `port ${config.asrPort} cannot be opened on ${config.host}`)
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
