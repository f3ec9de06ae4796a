import { markComponentRunning } from '../../platform/lib/metrics.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { createPanel } from '../../panel/app.ts'
import { startPanelServer } from '../../panel/frame/server.ts'
import { defineServerCommand } from './command.ts'

const REQUEST_GRACE_SECONDS = 8
const STOP_LIMIT_SECONDS = 20

export const run = defineServerCommand('dashboard', async (config, log) => {
  const panel = createPanel(config, log)
  const server = await startPanelServer(panel.app, config.host, config.panelPort)
  markComponentRunning('panel')
  const metrics = await serveMetrics({ host: config.host, port: config.metricsPort }, log)
  return {
    facts: { port: server.port, apiUrl: config.apiUrl },
    stopSeconds: STOP_LIMIT_SECONDS,
    async stop() {
      await server.close(REQUEST_GRACE_SECONDS)
      await Promise.all([panel.close(), metrics?.close(0)])
    },
  }
})
