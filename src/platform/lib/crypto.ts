import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** For finding a text again, never for secrets. */

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A secret of `bytes` random bytes in URL-safe characters. */
export const generateSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** An HMAC (RFC 2104) with SHA-256 over `data`. */
export const hmacSha256 = (key: string, data: string) => createHmac('sha256', key).update(data)

/** Compares two texts in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}
