import type { Context } from 'koa'
import { preferredLanguage } from '../../platform/http/language.ts'
import { ApiError, refusal } from './api-client.ts'
import { readFields } from './fields.ts'
import type { Language } from './i18n.ts'
import { localPath } from './origin.ts'
import { redirect, type RequestContext, type Route } from './context.ts'

export const languageRoutes: Route[] = [{ method: 'post', path: '/language', handle: switchLanguage, isPublic: true }]

const COOKIE = 'panel_language'
const YEAR_MS = 365 * 86_400_000

/** The language chosen in this browser, else the browser's preferred one of ours. */
export function chooseLanguage(ctx: Context, languages: Language[]): Language {
  const switched = ctx.cookies.get(COOKIE, { signed: false })
  const find = (wanted: string | undefined) => languages.find(({ code }) => code === wanted)
  return find(switched) ?? find(preferredLanguage(ctx))!
}

/** Changes the language and redirects back: permanently for a logged-in person, and for the pages before the login. */
async function switchLanguage(context: RequestContext): Promise<void> {
  const { ctx, api, panel } = context
  const fields = await readFields(ctx)
  const language = panel.languages.find(({ code }) => code === fields.raw('language')) ?? context.language
  const { code } = language
  ctx.cookies.set(COOKIE, code, { path: '/', httpOnly: true, sameSite: 'lax', maxAge: YEAR_MS, signed: false })
  const next = localPath(fields.raw('next'))
  const answer = await api.send('PATCH', '/v1/auth/me', { language: code }).catch(refusal(401))
  const login = next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`
  redirect(ctx, answer instanceof ApiError ? login : next)
}
