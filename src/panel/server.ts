import type Koa from 'koa'
import { listen, type RunningServer } from '../lib/serve.ts'

/** A request through the panel, and its answer, must be done within this time. */
export const REQUEST_LIMIT_MS = 300_000

/**
 * Listens. There is no limit on silence: a paused player holds its answer open, and the limit on the call to the API
 * ends it.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export function listenPanel(app: Koa, host: string, port: number): Promise<RunningServer> {
  const handle = app.callback()
  return listen((request, response) => void handle(request, response), host, port, { request: REQUEST_LIMIT_MS })
}
