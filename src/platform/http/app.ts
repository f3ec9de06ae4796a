import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import helmet from 'koa-helmet'
import type { Config } from '../config/config.ts'
import type { Core } from '../core.ts'
import { badRequestError, HttpError } from '../errors.ts'
import { normalizeIpAddress, PANEL_CLIENT_HEADER, parsePanelClientHeader } from '../lib/client-address.ts'
import { generateId, isUuid } from '../lib/ids.ts'
import { runInRequestContext } from '../lib/log.ts'
import { detectResponseLanguage } from './language.ts'
import type { Message } from '../lib/messages.ts'
import { observeHttpRequest } from '../lib/metrics.ts'
import { startHttpServer, type RunningHttpServer, type HttpServerLimits } from '../lib/http-server.ts'
import { formatErrorBody, createErrorMiddleware } from './errors.ts'
import { httpMessages } from './messages.ts'
import { createApiRouter, type RequestAuthenticator, type Route } from './route.ts'

/** The panel sends one id with all requests of a page or form. The audit log groups entries by this id. */
const ACTION_ID_HEADER = 'X-Action-Id'

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** Creates the Koa app for the routes, with the middleware in order of execution. */
export function createKoaApp(core: Core, routes: Route[], authenticate: RequestAuthenticator): Koa {
  const app = new Koa({ proxy: core.config.TRUSTED_PROXY_HOPS > 0, maxIpsCount: core.config.TRUSTED_PROXY_HOPS })
  app.silent = true // createErrorMiddleware() logs errors
  app.use(traceRequest(core))
  app.use(createErrorMiddleware(core.log))
  app.use(securityHeaders)
  app.use(compress({ threshold: 2048, filter: isCompressible, br: { params: { 0: 0, 1: 4 } } }))
  app.use(checkUrl)
  app.use(createApiRouter(core, routes, authenticate))
  return app
}

/** Health checks arrive every few seconds, so log them only at debug level. */
const QUIET_PATHS = new Set(['/healthz', '/readyz'])

/**
 * Assigns a request id, and logs and measures each request when its response begins. Omits query, headers and body, because they
 * can contain secrets.
 */
function traceRequest({ config, log }: Core) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const requestedId = ctx.get('X-Request-Id')
    const requestId = REQUEST_ID_PATTERN.test(requestedId) ? requestedId : generateId()
    ctx.set('X-Request-Id', requestId)
    const trace = {
      requestId,
      actionId: parseActionId(ctx.get(ACTION_ID_HEADER)),
      address: findClientAddress(config, ctx),
      language: detectResponseLanguage(ctx),
    }
    await runInRequestContext(trace, async () => {
      const startedAt = performance.now()
      await next()
      const ms = Math.round(performance.now() - startedAt)
      const { operation = 'none' } = ctx.state as { operation?: string }
      observeHttpRequest(operation, ctx.status, ms / 1000)
      log[QUIET_PATHS.has(ctx.path) ? 'debug' : 'info'](
        { method: ctx.method, path: ctx.path, operation, status: ctx.status, ms },
        'request',
      )
    })
  }
}

/** Ignores an id that is no UUID, because an invalid trace id is no reason to reject a request. */
const parseActionId = (header: string): string | undefined => (isUuid(header) ? header.toLowerCase() : undefined)

/**
 * Returns the address that the panel proves; otherwise the one that TRUSTED_PROXY_HOPS proxies report, or that of the connection.
 */
function findClientAddress({ SESSION_SECRET: secret }: Config, ctx: Context): string {
  const panelAddress = secret && parsePanelClientHeader(secret, ctx.get(PANEL_CLIENT_HEADER))
  return normalizeIpAddress(panelAddress || ctx.ip) ?? normalizeIpAddress(ctx.req.socket.remoteAddress) ?? 'unknown'
}

const MAX_URL_LENGTH = 8192

/** Rejects invalid URLs before routing. @throws HttpError 400 for broken percent-encoding, 414 for more than 8192 characters */
function checkUrl(ctx: Context, next: Next): Promise<unknown> {
  if (ctx.url.length > MAX_URL_LENGTH) {
    throw new HttpError(414, httpMessages.addressTooLong({ limit: MAX_URL_LENGTH }))
  }
  try {
    decodeURIComponent(ctx.path) // throws for broken encoding; query strings tolerate it as in browsers
  } catch {
    throw badRequestError(httpMessages.brokenPath())
  }
  return next()
}

/** Forbids that a response of the API runs as a page, except /docs, which sets its own policy. */
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

const isCompressible = (type: string): boolean => /^(text\/|application\/(json|javascript|x-ndjson))/.test(type)

/** Formats errors that arise outside of handlers, in the same shape as all others. */
function formatErrorResponse(status: number, message: Message) {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': generateId(),
  }
  return { headers, body: JSON.stringify(formatErrorBody(status, message)) }
}

/** Limits of the API server in milliseconds: 6 h per request, because slow uploads take hours, and 2 min idle. */
export const API_SERVER_LIMITS = { request: 6 * 3600 * 1000, silence: 120_000, refuse: formatErrorResponse }

/** Starts an HTTP server for the app. @throws StartError if the address cannot be used */
export function startApiServer(
  app: Koa,
  host: string,
  port: number,
  limits: HttpServerLimits = API_SERVER_LIMITS,
): Promise<RunningHttpServer> {
  const handle = app.callback()
  return startHttpServer((request, response) => void handle(request, response), host, port, limits)
}
