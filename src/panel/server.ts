import http from 'node:http'
import type Koa from 'koa'

/** A request through the panel, and its answer, must be done within this time. */
export const REQUEST_LIMIT_MS = 300_000

/** A listening panel. */
export interface RunningPanel {
  port: number
  /** Takes no new connection, lets running requests finish for up to `graceSeconds`, then cuts them. */
  close(graceSeconds: number): Promise<void>
}

/**
 * Listens. There is no limit on silence: a paused player holds its answer open, and the limit on the call to the API
 * ends it.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function listen(app: Koa, host: string, port: number): Promise<RunningPanel> {
  const handle = app.callback()
  const server = http.createServer(
    { requestTimeout: REQUEST_LIMIT_MS, headersTimeout: 20_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) => void handle(request, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    async close(graceSeconds) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      // A connection whose request ends now would stay open, idle, until the grace is over.
      const sweep = setInterval(() => server.closeIdleConnections(), 100)
      const cut = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}
