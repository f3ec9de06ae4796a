import type { Config } from '../../platform/config/config.ts'
import { HttpError } from '../../platform/errors.ts'
import { hmacSha256, generateSecret, isSameSecret } from '../../platform/lib/crypto.ts'
import { authMessages } from './messages.ts'
import { SESSION_COOKIE_NAME } from '../../platform/http/access.ts'

/**
 * Creates a random session token and the Set-Cookie header for it. The value is the token, a full stop, and the HMAC-SHA256 of
 * the token under SESSION_SECRET.
 */
export function createSessionCookie(config: Config): { token: string; header: string } {
  const token = generateSecret()
  const seconds = config.SESSION_TTL_HOURS * 3600
  return { token, header: formatCookieHeader(config, `${token}.${signToken(config, token)}`, seconds) }
}

/** Formats a Set-Cookie header that removes the session cookie from the browser. */
export const formatExpiredSessionCookie = (config: Config): string => formatCookieHeader(config, '', 0)

/** Limits the cookies with our name, because each signature check costs time. */
const MAX_SESSION_COOKIES = 10

/**
 * Parses the session token in a Cookie header. Ignores cookies with an invalid signature, because another host of the same domain
 * can set them.
 * @returns undefined without a validly signed session cookie
 * @throws HttpError 401 for more than 10 cookies, or for two different tokens, because an attacker can have set one of them
 */
export function parseSessionCookie(config: Config, header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(/; */)
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE_NAME}=`))
    .map((pair) => pair.slice(SESSION_COOKIE_NAME.length + 1))
  if (values.length > MAX_SESSION_COOKIES) throw new HttpError(401, authMessages.twoSessions())
  const tokens = new Set(values.map((value) => parseSignedToken(config, value)).filter((token) => token !== undefined))
  if (tokens.size > 1) throw new HttpError(401, authMessages.twoSessions())
  return [...tokens][0]
}

function parseSignedToken(config: Config, value: string): string | undefined {
  const [token, signature] = value.split('.')
  return token && signature && isSameSecret(signature, signToken(config, token)) ? token : undefined
}

const signToken = (config: Config, token: string): string =>
  hmacSha256(config.SESSION_SECRET!, token).digest('base64url')

function formatCookieHeader(config: Config, value: string, maxAgeSeconds: number): string {
  const secure = config.COOKIE_SECURE ? '; Secure' : ''
  return `${SESSION_COOKIE_NAME}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}
