import { readConfig } from '../../platform/config/config.ts'
import { createProcessLog } from '../../platform/lib/log.ts'
import { showComponent } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { toldToStop } from '../../platform/lib/stop.ts'
import type { Run } from '../../main.ts'
import { createPanel } from '../../panel/app.ts'
import { listenPanel } from '../../panel/frame/server.ts'

/** What running requests get to finish when the panel is told to stop. */
const REQUEST_GRACE_SECONDS = 8

/** Serves the web panel until told to stop. It needs the API and nothing else, and starts without it. */
export const run: Run = async (overrides) => {
  const config = readConfig('dashboard', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'dashboard')
  const stopReason = toldToStop()
  const panel = createPanel(config, log)
  const server = await listenPanel(panel.app, config.host, config.panelPort)
  showComponent('panel')
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log)
  log.info({ port: server.port, apiUrl: config.apiUrl, version: SVC_VERSION }, 'ready')
  log.info({ reason: await stopReason }, 'stopping')
  await server.close(REQUEST_GRACE_SECONDS)
  await Promise.all([panel.close(), metrics?.close(0)])
  log.info('stopped')
  return 0
}
