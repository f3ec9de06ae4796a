import { randomUUID } from 'node:crypto'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import helmet from 'koa-helmet'
import type { Core } from '../core.ts'
import { listen, type RunningServer } from '../lib/serve.ts'
import { renderErrors } from './errors.ts'
import { createRouter, type Route } from './route.ts'

const MAX_REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** The Koa app that serves `routes`: middleware in the order of a request's way. */
export function createApp(core: Core, routes: Route[]): Koa {
  const app = new Koa({ proxy: core.config.TRUSTED_PROXY_HOPS > 0, maxIpsCount: core.config.TRUSTED_PROXY_HOPS })
  app.silent = true // errors are logged where they are rendered
  app.use(traceRequest(core))
  app.use(renderErrors(core.log))
  app.use(securityHeaders)
  app.use(compress({ threshold: 2048, filter: isText, br: { params: { 0: 0, 1: 4 } } }))
  app.use(createRouter(core, routes))
  return app
}

/** Gives the request its id and logs its end in one line: no query, no header, no body, because they may hold secrets. */
function traceRequest({ log }: Core) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const given = ctx.get('X-Request-Id')
    const requestId = MAX_REQUEST_ID.test(given) ? given : randomUUID()
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    const startedAt = performance.now()
    await next()
    const ms = Math.round(performance.now() - startedAt)
    // Health checks come every few seconds and say nothing.
    const level = ctx.path === '/healthz' || ctx.path === '/readyz' ? 'debug' : 'info'
    log[level]({ requestId, method: ctx.method, path: ctx.path, status: ctx.status, ms }, 'request')
  }
}

/** The usual headers; nothing that the API serves may run as a page, but /docs, which sets its own policy. */
const helmetHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  strictTransportSecurity: false, // the reverse proxy knows whether there is HTTPS
  xFrameOptions: { action: 'deny' },
})

function securityHeaders(ctx: Context, next: Next): Promise<unknown> {
  ctx.set('Cache-Control', 'no-store')
  return helmetHeaders(ctx, next)
}

const isText = (type: string): boolean => /^(text\/|application\/(json|javascript|x-ndjson))/.test(type)

const LIMITS = { request: 6 * 3600 * 1000, silence: 120_000 }

/**
 * Listens with the time limits of this API: a slow upload may take hours as long as it moves.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function listenApi(app: Koa, host: string, port: number): Promise<RunningServer> {
  const handle = app.callback()
  const running = await listen((request, response) => void handle(request, response), host, port, LIMITS)
  running.server.on('clientError', answerBrokenRequest)
  return running
}

/** What the HTTP parser refuses still gets an answer in the one shape. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:stream').Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, name, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'The address or the headers are too long']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'The request took too long to arrive']
        : [400, 'Bad Request', 'The request is not valid HTTP']
  const body = JSON.stringify({ statusCode: status, message, error: name })
  socket.end(
    `HTTP/1.1 ${status} ${name}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
