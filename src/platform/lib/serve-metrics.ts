import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from './log.ts'
import { renderMetrics } from './metrics.ts'
import { listen, type RunningServer } from './serve.ts'
import { StartError } from './start-error.ts'

type Collect = () => Promise<{ type: string; text: string }>

/**
 * Serves GET /metrics of this process on a port of its own, which no proxy exposes. A taken port disables the metrics, not the
 * work of this process; the log has the error.
 * @param collect by default the metrics of this process
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  log: Logger,
  collect: Collect = renderMetrics,
): Promise<RunningServer | undefined> {
  try {
    return await listen((request, response) => void answer(request, response, log, collect), host, port, {
      request: 20_000,
      silence: 60_000,
      refuse: () => ({ headers: {}, body: '' }),
    })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    log.warn({ reason: error.message }, 'metrics are not served')
    return undefined
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
  collect: Collect,
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
