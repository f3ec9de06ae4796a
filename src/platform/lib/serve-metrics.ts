import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from './log.ts'
import { formatMetrics } from './metrics.ts'
import { startHttpServer, type RunningHttpServer } from './http-server.ts'
import { StartError } from './start-error.ts'

type CollectMetrics = () => Promise<{ type: string; text: string }>

/**
 * Serves GET /metrics on a separate port, which no proxy exposes. If the address cannot be used, logs a warning and returns
 * undefined.
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  log: Logger,
  collect: CollectMetrics = formatMetrics,
): Promise<RunningHttpServer | undefined> {
  try {
    return await startHttpServer(
      (request, response) => void handleMetricsRequest(request, response, log, collect),
      host,
      port,
      {
        request: 20_000,
        silence: 60_000,
        refuse: () => ({ headers: {}, body: '' }),
      },
    )
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    log.warn({ reason: error.message }, 'metrics are not served')
    return undefined
  }
}

async function handleMetricsRequest(
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
  collect: CollectMetrics,
): Promise<void> {
  const [path] = (request.url ?? '').split('?')
  if (path !== '/metrics') return void response.writeHead(404).end()
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
  }
  try {
    const { type, text } = await collect()
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
    response.end(request.method === 'HEAD' ? undefined : text)
  } catch (error) {
    log.error({ err: error }, 'metrics could not be collected')
    response.writeHead(500).end()
  }
}
