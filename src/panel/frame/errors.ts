import type { Context, Next } from 'koa'
import type { Logger } from '../../platform/lib/log.ts'
import { ApiDown, ApiError } from './api-client.ts'
import {
  isByScript,
  isRefresh,
  redirectFullPage,
  loadPerson,
  MustChangePassword,
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
export function answerErrors(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const context = ctx.state.context as RequestContext
    try {
      await next()
    } catch (thrown) {
      if (ctx.res.closed) return // the browser has gone: nobody reads an answer
      if (thrown instanceof MustChangePassword) return redirectFullPage(ctx, '/account')
      const requestId = ctx.state.requestId as string
      const status = statusOf(thrown)
      if (thrown instanceof ApiDown) log.warn({ requestId, reason: thrown.message }, 'no answer from the API')
      else if (status >= 500) log.error({ requestId, err: thrown }, 'request failed')
      if (thrown instanceof ApiError && status === 401) return askToLogIn(ctx)
      await answerError(context, thrown as Error, status)
    }
  }
}

function statusOf(thrown: unknown): number {
  if (thrown instanceof ApiDown) return 503
  if (!(thrown instanceof ApiError) && !(thrown instanceof PageError)) return 500
  return [502, 503, 504].includes(thrown.status) ? 503 : thrown.status
}

/** Redirects to the login, and from there back to the page. A form cannot be sent again, so back to its page. */
function askToLogIn(ctx: Context): void {
  const page = ctx.method === 'GET' && !isByScript(ctx) ? ctx.path + ctx.search : pageOf(ctx)
  redirectFullPage(ctx, page === '/' ? '/login' : `/login?next=${encodeURIComponent(page)}`)
}

/** The page of a form or a refresh. */
function pageOf(ctx: Context): string {
  const sender = ctx.get('HX-Current-URL') || ctx.get('Referer')
  if (!URL.canParse(sender)) return '/'
  const { host, pathname, search } = new URL(sender)
  return host === ctx.host ? pathname + search : '/'
}

async function answerError(context: RequestContext, thrown: Error, status: number): Promise<void> {
  const { ctx } = context
  ctx.status = status
  // The live part stays and keeps retrying; but deleted or forbidden pages are shown as such.
  if (isRefresh(ctx)) {
    if (status === 404 || status === 403) ctx.set('HX-Refresh', 'true')
    ctx.body = ''
    return
  }
  for (const header of ['Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
  const wait = thrown instanceof ApiError ? thrown.retryAfterSeconds : undefined
  if (wait) ctx.set('Retry-After', String(wait))
  // The frame offers links, if the person is logged in and the API responds.
  if (!context.person && status < 500) {
    const unable = await loadPerson(context).catch((error: Error) => error)
    if (unable instanceof MustChangePassword) return redirectFullPage(ctx, '/account')
  }
  const { words, format } = context.language
  const [title, advice] = words.errors.pages[status] ?? words.errors.pages[status < 500 ? 400 : 500]!
  const text = (thrown instanceof PageError && thrown.advice) || advice
  await renderPage(context, 'error', {
    title,
    status,
    text: wait ? `${text} ${words.errors.waitSeconds(wait, format.number(wait))}` : text,
    requestId: status >= 500 && status !== 503 ? (ctx.state.requestId as string) : undefined,
    again: ctx.method === 'GET' && [429, 500, 503].includes(status),
  })
}
