import type { Context } from 'koa'
import { parsePreferredLanguage } from '../../platform/http/language.ts'
import { ApiError, returnApiErrorWithStatus } from './api-client.ts'
import { parsePostedForm } from './fields.ts'
import type { Language } from './i18n.ts'
import { parseLocalPath } from './origin.ts'
import { redirect, type RequestContext, type PanelRoute } from './context.ts'

export const languageRoutes: PanelRoute[] = [
  { method: 'post', path: '/language', handle: switchLanguage, isPublic: true },
]

const LANGUAGE_COOKIE = 'panel_language'
const COOKIE_AGE_MS = 365 * 86_400_000

/** Returns the language that the cookie of this browser names, otherwise the preferred one of Accept-Language. */
export function chooseBrowserLanguage(ctx: Context, languages: Language[]): Language {
  const cookieCode = ctx.cookies.get(LANGUAGE_COOKIE, { signed: false })
  const find = (wantedCode: string | undefined) => languages.find(({ code }) => code === wantedCode)
  return find(cookieCode) ?? find(parsePreferredLanguage(ctx))!
}

/** Stores the language in a cookie for pages before the login, and in the account of a logged-in person. Redirects back or to the login. */
async function switchLanguage(context: RequestContext): Promise<void> {
  const { ctx, api, panel } = context
  const fields = await parsePostedForm(ctx)
  const language = panel.languages.find(({ code }) => code === fields.raw('language')) ?? context.language
  const { code } = language
  ctx.cookies.set(LANGUAGE_COOKIE, code, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: COOKIE_AGE_MS,
    signed: false,
  })
  const next = parseLocalPath(fields.raw('next'))
  const response = await api.send('PATCH', '/v1/auth/me', { language: code }).catch(returnApiErrorWithStatus(401))
  const login = next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`
  redirect(ctx, response instanceof ApiError ? login : next)
}
