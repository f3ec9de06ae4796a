import type { Context } from 'koa'
import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_COOKIE } from '../../platform/http/access.ts'
import { ApiDown, ApiError, refusal } from '../frame/api-client.ts'
import { renderPage, redirect, type RequestContext } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import { localPath } from '../frame/origin.ts'
import type { Page } from '../frame/page.ts'
import { login } from './words.ts'

export const loginPage: Page<'login', typeof login> = {
  name: 'login',
  words: login,
  routes: [
    {
      method: 'get',
      path: '/login',
      handle: (context) => showForm(context, { next: localPath(context.ctx.query.next), email: '' }),
      isPublic: true,
    },
    { method: 'post', path: '/login', handle: logIn, isPublic: true },
    { method: 'post', path: '/logout', handle: logOut, isPublic: true },
  ],
}

interface Form {
  next: string
  email: string
  error?: string
}

function showForm(context: RequestContext, form: Form): Promise<void> {
  return renderPage(context, 'login', { title: context.language.words.login.title, ...form })
}

async function logIn(context: RequestContext): Promise<void> {
  const { ctx, api } = context
  const { words } = context.language
  const fields = await readFields(ctx)
  const password = fields.raw('password')
  const form = { next: localPath(fields.raw('next')), email: fields.raw('email') }
  const refuse = (status: number, said: string) => {
    ctx.status = status
    return showForm(context, { ...form, error: said })
  }
  if (!fields.text('email') || !password) return refuse(400, words.login.missing)
  try {
    const { headers } = await api.send('POST', '/v1/auth/login', { email: fields.text('email'), password })
    if (dropsCookie(ctx, headers)) return refuse(200, words.login.insecure)
    passCookie(ctx, headers)
    redirect(ctx, form.next)
  } catch (error) {
    await explainFailure(context, error, refuse)
  }
}

/** Failures that belong beside the form; the others get their page. */
function explainFailure(
  context: RequestContext,
  error: unknown,
  refuse: (status: number, said: string) => Promise<void>,
): Promise<void> {
  const { words, format } = context.language
  if (error instanceof ApiDown) return refuse(503, words.login.down)
  if (!(error instanceof ApiError)) throw error
  if (error.status === 429) {
    const seconds = error.retryAfterSeconds ?? 60
    context.ctx.set('Retry-After', String(seconds))
    return refuse(429, words.login.throttled(seconds, format.number(seconds)))
  }
  if (error.status === 401 && hasTwoSessions(context.ctx)) return refuse(401, words.login.twoSessions)
  // 400: no e-mail or password can look like this, so it is wrong.
  if (error.status === 401 || error.status === 400) return refuse(401, words.login.wrong)
  if (error.status >= 500) return refuse(503, words.login.down)
  throw error
}

/** Whether the browser sends two session cookies, as after a move to another path or domain. */
const hasTwoSessions = (ctx: Context): boolean =>
  new Set(ctx.get('Cookie').match(new RegExp(`(?<![^; ])${SESSION_COOKIE}=[^;]*`, 'g'))).size > 1

async function logOut(context: RequestContext): Promise<void> {
  // A repeated logout succeeds.
  const { headers } = await context.api.send('POST', '/v1/auth/logout').catch(refusal(401))
  passCookie(context.ctx, headers)
  redirect(context.ctx, '/login')
}

/** Whether the browser drops the cookie because the page came over plain HTTP: each login would lead back here. */
function dropsCookie(ctx: Context, headers: IncomingHttpHeaders): boolean {
  if (!cookiesOf(headers).some((cookie) => /; *secure\b/i.test(cookie))) return false
  const origin = ctx.get('Origin')
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname)
}

function passCookie(ctx: Context, headers: IncomingHttpHeaders): void {
  const cookies = cookiesOf(headers)
  if (cookies.length > 0) ctx.set('Set-Cookie', cookies)
}

/** undici gives one cookie as a string, several as an array. */
const cookiesOf = (headers: IncomingHttpHeaders): string[] => [headers['set-cookie'] ?? []].flat()
