import type { Context, Next } from 'koa'
import type { Logger } from '../../platform/lib/log.ts'
import { ApiUnavailableError, ApiError } from './api-client.ts'
import {
  isHtmxRequest,
  isPartialRefresh,
  redirectFullPage,
  fetchLoggedInPerson,
  PasswordChangeRequiredError,
  renderPage,
  type RequestContext,
} from './context.ts'

/** Throw it to end a request with an error page. `advice` replaces the usual text of the status. */
export class PageError extends Error {
  readonly status: number
  readonly advice: string | undefined

  constructor(status: number, advice?: string) {
    super(advice ?? `status ${status}`)
    this.status = status
    this.advice = advice
  }
}

/** Returns middleware that renders errors as pages and logs those from 500 on. Redirects to the login if the API returns 401. */
export function renderErrorPages(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const context = ctx.state.context as RequestContext
    try {
      await next()
    } catch (error) {
      if (ctx.res.closed) return // the browser has disconnected
      if (error instanceof PasswordChangeRequiredError) return redirectFullPage(ctx, '/account')
      const requestId = ctx.state.requestId as string
      const status = toHttpStatus(error)
      if (error instanceof ApiUnavailableError) log.warn({ requestId, reason: error.message }, 'no answer from the API')
      else if (status >= 500) log.error({ requestId, err: error }, 'request failed')
      if (error instanceof ApiError && status === 401) return redirectToLogin(ctx)
      await renderErrorPage(context, error as Error, status)
    }
  }
}

function toHttpStatus(error: unknown): number {
  if (error instanceof ApiUnavailableError) return 503
  if (!(error instanceof ApiError) && !(error instanceof PageError)) return 500
  return [502, 503, 504].includes(error.status) ? 503 : error.status
}

/** Redirects to the login, which leads back to the page. After a POST or an htmx request, it leads back to the sending page. */
function redirectToLogin(ctx: Context): void {
  const page = ctx.method === 'GET' && !isHtmxRequest(ctx) ? ctx.path + ctx.search : findReferringPage(ctx)
  redirectFullPage(ctx, page === '/' ? '/login' : `/login?next=${encodeURIComponent(page)}`)
}

/** Returns the path of the page that sent the request, or `/` if it is unknown or of another host. */
function findReferringPage(ctx: Context): string {
  const sender = ctx.get('HX-Current-URL') || ctx.get('Referer')
  if (!URL.canParse(sender)) return '/'
  const { host, pathname, search } = new URL(sender)
  return host === ctx.host ? pathname + search : '/'
}

async function renderErrorPage(context: RequestContext, error: Error, status: number): Promise<void> {
  const { ctx } = context
  ctx.status = status
  // An empty response keeps the live part, which tries again later. After 403 or 404 the browser reloads the page instead.
  if (isPartialRefresh(ctx)) {
    if (status === 404 || status === 403) ctx.set('HX-Refresh', 'true')
    ctx.body = ''
    return
  }
  for (const header of ['Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
  const retrySeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
  if (retrySeconds) ctx.set('Retry-After', String(retrySeconds))
  // The menu of the error page needs the person. Unknown addresses have no route that fetched one.
  if (!context.person && status < 500) {
    const failure = await fetchLoggedInPerson(context).catch((error: Error) => error)
    if (failure instanceof PasswordChangeRequiredError) return redirectFullPage(ctx, '/account')
  }
  const { words, format } = context.language
  const [title, advice] = words.errors.pages[status] ?? words.errors.pages[status < 500 ? 400 : 500]!
  const text = (error instanceof PageError && error.advice) || advice
  await renderPage(context, 'error', {
    title,
    status,
    text: retrySeconds ? `${text} ${words.errors.waitSeconds(retrySeconds, format.number(retrySeconds))}` : text,
    requestId: status >= 500 && status !== 503 ? (ctx.state.requestId as string) : undefined,
    again: ctx.method === 'GET' && [429, 500, 503].includes(status),
  })
}
