import type { Context } from 'koa'
import type { LanguageCode } from '../lib/messages.ts'
import { SESSION_COOKIE } from './access.ts'

/** Which of our languages a browser's Accept-Language prefers; English if none. */
export function parsePreferredLanguage(ctx: Context): LanguageCode {
  const codes = ctx.acceptsLanguages().map((tag) => tag.toLowerCase().split('-')[0])
  return codes.find((code) => code === 'en' || code === 'ru') ?? 'en'
}

/** The language of a response: people, who have a session cookie, choose it. Integrations get English. */
export function detectLanguage(ctx: Context): LanguageCode {
  const hasKey = ctx.get('X-API-Key') !== '' || ctx.get('Authorization') !== ''
  const isPerson = ctx.get('Cookie').includes(`${SESSION_COOKIE}=`)
  return isPerson && !hasKey ? parsePreferredLanguage(ctx) : 'en'
}
