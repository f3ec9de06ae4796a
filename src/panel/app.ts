import Router from '@koa/router'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import helmet from 'koa-helmet'
import type { Config } from '../platform/config/config.ts'
import { SESSION_COOKIE_NAME } from '../platform/http/access.ts'
import { normalizeIpAddress } from '../platform/lib/client-address.ts'
import { generateId, isUuid } from '../platform/lib/ids.ts'
import type { Logger } from '../platform/lib/log.ts'
import { ApiClient } from './frame/api-client.ts'
import { StaticAssets } from './frame/assets.ts'
import { renderErrorPages, PageError } from './frame/errors.ts'
import { forwardToApi } from './frame/forward.ts'
import { chooseBrowserLanguage } from './frame/language.ts'
import { isCrossOriginRequest } from './frame/origin.ts'
import { findPanelRoot } from './frame/root.ts'
import { PANEL_PAGES, PANEL_ROUTES } from './pages.ts'
import { parseSeeAsCookie, rejectChangesWhileSeeingAs } from './see-as/page.ts'
import { createPanelLanguages } from './words.ts'
import {
  createTemplateRenderer,
  fetchLoggedInPerson,
  type PageContext,
  type PanelServices,
  type RequestContext,
} from './frame/context.ts'

const SAFE_REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/**
 * Creates the panel as a Koa app. `close` ends its connections to the API. @param requestLimitMs time limit of a request,
 * shortened by tests
 */
export function createPanel(
  config: Config,
  log: Logger,
  requestLimitMs?: number,
): { app: Koa; close(): Promise<void> } {
  const root = findPanelRoot()
  const client = new ApiClient(config.apiUrl, config.SESSION_SECRET, requestLimitMs)
  const panel: PanelServices = {
    config,
    log,
    client,
    assets: new StaticAssets(root, PANEL_PAGES),
    views: createTemplateRenderer(root),
    languages: createPanelLanguages(config.APP_TIMEZONE),
    pages: PANEL_PAGES,
  }
  const app = new Koa({ proxy: config.TRUSTED_PROXY_HOPS > 0, maxIpsCount: config.TRUSTED_PROXY_HOPS })
  app.silent = true // errors are logged in renderErrorPages()
  app.on('error', (error: Error) => log.debug({ reason: error.message }, 'an answer was cut off'))
  app.use(traceRequest(log))
  app.use(setSecurityHeaders)
  app.use(compress({ threshold: 1024, filter: (type) => type.startsWith('text/'), br: { params: { 0: 0, 1: 6 } } }))
  app.use(serveHealthAndAssets(panel))
  app.use(createRequestContext(panel))
  app.use(forwardToApi)
  app.use(renderErrorPages(log))
  app.use(rejectCrossOrigin)
  app.use(rejectChangesWhileSeeingAs)
  app.use(createRouter())
  return { app, close: () => client.close() }
}

/** Sets the request id and logs one line per request. The line omits the query, because it can contain search terms. */
function traceRequest(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const receivedId = ctx.get('X-Request-Id')
    const requestId = SAFE_REQUEST_ID.test(receivedId) ? receivedId : generateId()
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    const startedAt = performance.now()
    await next()
    const ms = Math.round(performance.now() - startedAt)
    const level = ctx.path === '/healthz' || ctx.path.startsWith('/assets/') ? 'debug' : 'info'
    log[level]({ requestId, method: ctx.method, path: ctx.path, status: ctx.status, ms }, 'request')
  }
}

const CSP_SELF = ["'self'"]
const CSP_NONE = ["'none'"]

const setHelmetHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: CSP_NONE,
      scriptSrc: CSP_SELF,
      styleSrc: CSP_SELF,
      imgSrc: CSP_SELF,
      mediaSrc: CSP_SELF,
      connectSrc: CSP_SELF,
      formAction: CSP_SELF,
      frameAncestors: CSP_NONE,
      baseUri: CSP_NONE,
    },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'same-origin' },
  strictTransportSecurity: false, // the reverse proxy knows whether there is HTTPS
  xFrameOptions: { action: 'deny' },
})

function setSecurityHeaders(ctx: Context, next: Next): Promise<unknown> {
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Permissions-Policy', 'camera=(), microphone=(), geolocation=()')
  return setHelmetHeaders(ctx, next)
}

/** Serves paths that need neither a person nor a language: the health check of the container, and static files. */
function serveHealthAndAssets({ assets }: PanelServices) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') ctx.body = { status: 'ok' }
    else if (!assets.serve(ctx)) await next()
  }
}

/** Creates the context of a request: an API client with the browser's session, and the browser's language. */
function createRequestContext(panel: PanelServices) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const disconnect = new AbortController()
    ctx.res.once('close', () => disconnect.abort())
    const seeAs = parseSeeAsCookie(ctx)
    // Requests for parts of a page send the action id of the page, so that the audit log groups them.
    const actionId = isUuid(ctx.get('X-Action-Id')) ? ctx.get('X-Action-Id') : generateId()
    const api = panel.client.createRequestApi({
      cookie: filterSessionCookies(ctx.get('Cookie')),
      address: normalizeIpAddress(ctx.ip) ?? normalizeIpAddress(ctx.req.socket.remoteAddress) ?? 'unknown',
      userAgent: ctx.get('User-Agent'),
      requestId: ctx.state.requestId as string,
      actionId,
      signal: disconnect.signal,
      seeAs,
    })
    ctx.state.context = {
      ctx,
      panel,
      api,
      language: chooseBrowserLanguage(ctx, panel.languages),
      seeAs,
      actionId,
      badges: {},
      banners: [],
      menuViews: [],
    } satisfies RequestContext
    await next()
  }
}

/** Returns only the session cookies of a Cookie header; undefined without any. */
function filterSessionCookies(header: string): string | undefined {
  const cookies = header.split(';').map((cookie) => cookie.trim())
  return cookies.filter((cookie) => cookie.startsWith(`${SESSION_COOKIE_NAME}=`)).join('; ') || undefined
}

/** Rejects changing requests from other sites to prevent CSRF. @throws PageError 403 */
function rejectCrossOrigin(ctx: Context, next: Next): Promise<unknown> {
  const context = ctx.state.context as PageContext
  if (!['GET', 'HEAD'].includes(ctx.method) && isCrossOriginRequest(ctx)) {
    throw new PageError(403, context.language.words.errors.foreign)
  }
  return next()
}

function createRouter() {
  const router = new Router({ sensitive: true, strict: true })
  for (const { method, path, handle, isPublic } of PANEL_ROUTES) {
    router[method](path, async (ctx) => {
      const context = ctx.state.context as PageContext
      context.ctx.params = ctx.params
      // Fetches the person first, because later API calls use the person's language.
      if (!isPublic) await fetchLoggedInPerson(context)
      await handle(context)
    })
  }
  const dispatch = router.routes()
  return async (ctx: Context): Promise<void> => {
    await dispatch(ctx as never, async () => {
      const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
      if (methods.size === 0) throw new PageError(404)
      ctx.set('Allow', [...methods].sort().join(', '))
      throw new PageError(405)
    })
  }
}
