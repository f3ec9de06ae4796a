import type { Context } from 'koa'
import type { LanguageCode } from '../lib/messages.ts'
import { SESSION_COOKIE_NAME } from './access.ts'

/** Returns the language that Accept-Language prefers among ours; English if the header names none of them. */
export function parsePreferredLanguage(ctx: Context): LanguageCode {
  const codes = ctx.acceptsLanguages().map((tag) => tag.toLowerCase().split('-')[0])
  return codes.find((code) => code === 'en' || code === 'ru') ?? 'en'
}

/**
 * Returns the language of the response. A person with a session cookie gets the language that Accept-Language prefers; other
 * callers get English.
 */
export function detectResponseLanguage(ctx: Context): LanguageCode {
  const hasKey = ctx.get('X-API-Key') !== '' || ctx.get('Authorization') !== ''
  const isPerson = ctx.get('Cookie').includes(`${SESSION_COOKIE_NAME}=`)
  return isPerson && !hasKey ? parsePreferredLanguage(ctx) : 'en'
}
