import type { Context } from 'koa'
import type { LanguageCode } from '../lib/messages.ts'
import { SESSION_COOKIE } from './access.ts'

/** Returns the first of our languages in Accept-Language; English if the header names none. */
export function parsePreferredLanguage(ctx: Context): LanguageCode {
  const codes = ctx.acceptsLanguages().map((tag) => tag.toLowerCase().split('-')[0])
  return codes.find((code) => code === 'en' || code === 'ru') ?? 'en'
}

/** Returns the language of the response. People with a session cookie get their preferred language, API keys get English. */
export function detectLanguage(ctx: Context): LanguageCode {
  const hasKey = ctx.get('X-API-Key') !== '' || ctx.get('Authorization') !== ''
  const isPerson = ctx.get('Cookie').includes(`${SESSION_COOKIE}=`)
  return isPerson && !hasKey ? parsePreferredLanguage(ctx) : 'en'
}
