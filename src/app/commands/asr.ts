import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { requireMediaPrograms } from '../../recognizer/media.ts'
import type { EngineConfig } from '../../recognizer/engines/engine.ts'
import { engineFor } from '../../recognizer/engines/index.ts'
import { Jobs } from '../../recognizer/jobs.ts'
import { Pool } from '../../recognizer/pool.ts'
import { createRecognizer } from '../../recognizer/server.ts'
import { readConfig, type Config } from '../../platform/config/config.ts'
import { createProcessLog } from '../../platform/lib/log.ts'
import { showComponent, showRecognizerFiles } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { toldToStop } from '../../platform/lib/stop.ts'

/** What a worker makes is mostly sound and tensors, which lie elsewhere: 30 MB less than by default. */
const MOST_YOUNG_MEGABYTES = 3

/** Serves the recognizer until told to stop. The port opens once every worker has its model loaded. */
export async function run(overrides: Partial<Config>): Promise<number> {
  const config = readConfig('asr', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'asr')
  const told = toldToStop()
  const { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir } = config
  const engineConfig: EngineConfig = { ASR_MODEL, ASR_MODEL_HUB_URL, DECODER, modelsDir }
  const engine = await engineFor(ASR_MODEL)

  // The bundle's worker stands beside the chunk that this module is part of.
  const workerFile = new URL('./asr-worker.js', import.meta.url)
  const resourceLimits = { maxYoungGenerationSizeMb: MOST_YOUNG_MEGABYTES }
  const pool = new Pool(() => new Worker(workerFile, { workerData: engineConfig, resourceLimits }), log)
  // First of all: what a crashed predecessor left may be what fills the disk, and a model may take hours to come.
  const jobs = await Jobs.open(log)
  showComponent('recognizer')
  showRecognizerFiles(() => pool.queue)
  // From the beginning: a model may take hours to come.
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log)
  const load = async () => {
    requireMediaPrograms()
    const prepared = await engine.prepare(engineConfig, log)
    await pool.start(config.ASR_MAX_CONCURRENCY)
    return prepared
  }
  const outcome = await Promise.race([load().catch((error: Error) => error), told])
  if (typeof outcome === 'string' || outcome instanceof Error) {
    await Promise.all([pool.close(), jobs.close()])
    if (typeof outcome === 'string') return 0
    log.fatal({ err: outcome }, `the recognizer cannot start with ${ASR_MODEL}: ${outcome.message}`)
    return 1
  }
  const info = outcome

  const server = createRecognizer({
    config,
    info,
    lacksLanguageModel: () => engine.lacksLanguageModel?.(engineConfig) ?? false,
    pool,
    jobs,
    log,
  })
  try {
    await once(server.listen(config.asrPort, config.host), 'listening')
  } catch (error) {
    log.fatal({ err: error }, `port ${config.asrPort} cannot be opened on ${config.host}`)
    await Promise.all([pool.close(), jobs.close()])
    return 1
  }
  log.info({ host: config.host, port: config.asrPort, ...info, files: config.ASR_MAX_CONCURRENCY }, 'ready')

  const reason = await told
  log.info({ reason }, 'stopping')
  server.close()
  await pool.release()
  server.closeAllConnections()
  await Promise.all([jobs.close(), metrics?.close(0)])
  await pool.close()
  return 0
}
