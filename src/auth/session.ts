import type { Config } from '../config.ts'
import { hmacSha256, randomSecret, sameSecret } from '../lib/crypto.ts'

const SESSION_COOKIE = 'svc_session'

/** A fresh session token and its cookie: the token, a full stop, and its HMAC-SHA256 under SESSION_SECRET. */
export function createSessionCookie(config: Config): { token: string; header: string } {
  const token = randomSecret()
  const seconds = config.SESSION_TTL_HOURS * 3600
  return { token, header: cookieHeader(config, `${token}.${sign(config, token)}`, seconds) }
}

/** The header that takes the cookie away. */
export const clearedSessionCookie = (config: Config): string => cookieHeader(config, '', 0)

/** Cookies of our name that one request may hold: browsers send one for each path and domain it was set for. */
const MAX_CANDIDATES = 10

/**
 * The token of a Cookie header, or undefined where there is none of ours with a right signature. Whoever rules another
 * host of the same domain can put a cookie of that name before ours: it counts for nothing.
 */
export function readSessionCookie(config: Config, header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(/; */)
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1))
  // Each is tried until one is signed by us; thousands of them would be thousands of signatures to make.
  const candidates = values.slice(0, MAX_CANDIDATES)
  return candidates.map((value) => readToken(config, value)).find((token) => token !== undefined)
}

function readToken(config: Config, value: string): string | undefined {
  const [token, signature] = value.split('.')
  return token && signature && sameSecret(signature, sign(config, token)) ? token : undefined
}

const sign = (config: Config, token: string): string => hmacSha256(config.SESSION_SECRET!, token).digest('base64url')

function cookieHeader(config: Config, value: string, maxAgeSeconds: number): string {
  const secure = config.COOKIE_SECURE ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}
