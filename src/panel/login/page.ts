import type { Context } from 'koa'
import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_COOKIE_NAME } from '../../platform/http/access.ts'
import { ApiUnavailableError, ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { renderPage, redirect, type RequestContext } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { parseLocalPath } from '../frame/origin.ts'
import type { Page } from '../frame/page.ts'
import { loginWords } from './words.ts'

export const loginPage: Page<'login', typeof loginWords> = {
  name: 'login',
  words: loginWords,
  routes: [
    {
      method: 'get',
      path: '/login',
      handle: (context) => showForm(context, { next: parseLocalPath(context.ctx.query.next), email: '' }),
      isPublic: true,
    },
    { method: 'post', path: '/login', handle: logIn, isPublic: true },
    { method: 'post', path: '/logout', handle: logOut, isPublic: true },
  ],
}

interface LoginForm {
  next: string
  email: string
  error?: string
}

function showForm(context: RequestContext, form: LoginForm): Promise<void> {
  return renderPage(context, 'login', { title: context.language.words.login.title, ...form })
}

async function logIn(context: RequestContext): Promise<void> {
  const { ctx, api } = context
  const { words } = context.language
  const fields = await parsePostedForm(ctx)
  const password = fields.raw('password')
  const form = { next: parseLocalPath(fields.raw('next')), email: fields.raw('email') }
  const reject = (status: number, message: string) => {
    ctx.status = status
    return showForm(context, { ...form, error: message })
  }
  if (!fields.text('email') || !password) return reject(400, words.login.missing)
  try {
    const { headers } = await api.send('POST', '/v1/auth/login', { email: fields.text('email'), password })
    if (isCookieDropped(ctx, headers)) return reject(200, words.login.insecure)
    forwardCookies(ctx, headers)
    redirect(ctx, form.next)
  } catch (error) {
    await showFailure(context, error, reject)
  }
}

/** Shows expected login failures above the form. @throws other errors, which get their own page */
function showFailure(
  context: RequestContext,
  error: unknown,
  reject: (status: number, message: string) => Promise<void>,
): Promise<void> {
  const { words, format } = context.language
  if (error instanceof ApiUnavailableError) return reject(503, words.login.down)
  if (!(error instanceof ApiError)) throw error
  if (error.status === 429) {
    const seconds = error.retryAfterSeconds ?? 60
    context.ctx.set('Retry-After', String(seconds))
    return reject(429, words.login.throttled(seconds, format.number(seconds)))
  }
  if (error.status === 401 && hasTwoSessions(context.ctx)) return reject(401, words.login.twoSessions)
  // The API returns 400 for a text that cannot be an e-mail or password, so the login is wrong.
  if (error.status === 401 || error.status === 400) return reject(401, words.login.wrong)
  if (error.status >= 500) return reject(503, words.login.down)
  throw error
}

/** Returns true if the browser sends two different session cookies, for example after the panel moved to another path or domain. */
const hasTwoSessions = (ctx: Context): boolean =>
  new Set(ctx.get('Cookie').match(new RegExp(`(?<![^; ])${SESSION_COOKIE_NAME}=[^;]*`, 'g'))).size > 1

async function logOut(context: RequestContext): Promise<void> {
  // A repeated logout gets 401, which also counts as success.
  const { headers } = await context.api.send('POST', '/v1/auth/logout').catch(returnApiErrorWithStatus(401))
  forwardCookies(context.ctx, headers)
  redirect(context.ctx, '/login')
}

/**
 * Returns true if the browser will drop the secure cookie because the page uses plain HTTP. The login would otherwise repeat
 * endlessly.
 */
function isCookieDropped(ctx: Context, headers: IncomingHttpHeaders): boolean {
  if (!cookiesOf(headers).some((cookie) => /; *secure\b/i.test(cookie))) return false
  const origin = ctx.get('Origin')
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname)
}

function forwardCookies(ctx: Context, headers: IncomingHttpHeaders): void {
  const cookies = cookiesOf(headers)
  if (cookies.length > 0) ctx.set('Set-Cookie', cookies)
}

/** undici returns one cookie as a string and several as an array. */
const cookiesOf = (headers: IncomingHttpHeaders): string[] => [headers['set-cookie'] ?? []].flat()
