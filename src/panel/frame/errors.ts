import type { Context, Next } from 'koa'
import type { Logger } from '../../platform/lib/log.ts'
import { ApiUnavailableError, ApiError } from './api-client.ts'
import {
  isHtmxRequest,
  isRefresh,
  redirectFullPage,
  fetchPerson,
  PasswordChangeRequiredError,
  renderPage,
  type RequestContext,
} from './context.ts'

export class PageError extends Error {
  readonly status: number
  /** Replaces the usual text of this status. */
  readonly advice: string | undefined

  constructor(status: number, advice?: string) {
    super(advice ?? `status ${status}`)
    this.status = status
    this.advice = advice
  }
}

/** Renders every error thrown below it as a page with the problem and the solution. */
export function renderErrors(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const context = ctx.state.context as RequestContext
    try {
      await next()
    } catch (error) {
      if (ctx.res.closed) return // the browser has gone: nobody reads an answer
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

/** Redirects to the login, and from there back to the page. A form cannot be sent again, so back to its page. */
function redirectToLogin(ctx: Context): void {
  const page = ctx.method === 'GET' && !isHtmxRequest(ctx) ? ctx.path + ctx.search : findReferringPage(ctx)
  redirectFullPage(ctx, page === '/' ? '/login' : `/login?next=${encodeURIComponent(page)}`)
}

/** The page of a form or a refresh. */
function findReferringPage(ctx: Context): string {
  const sender = ctx.get('HX-Current-URL') || ctx.get('Referer')
  if (!URL.canParse(sender)) return '/'
  const { host, pathname, search } = new URL(sender)
  return host === ctx.host ? pathname + search : '/'
}

async function renderErrorPage(context: RequestContext, error: Error, status: number): Promise<void> {
  const { ctx } = context
  ctx.status = status
  // The live part stays and keeps retrying; but deleted or forbidden pages are shown as such.
  if (isRefresh(ctx)) {
    if (status === 404 || status === 403) ctx.set('HX-Refresh', 'true')
    ctx.body = ''
    return
  }
  for (const header of ['Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
  const retrySeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
  if (retrySeconds) ctx.set('Retry-After', String(retrySeconds))
  // The frame offers links, if the person is logged in and the API responds.
  if (!context.person && status < 500) {
    const failure = await fetchPerson(context).catch((error: Error) => error)
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
