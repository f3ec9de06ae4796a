import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns the SHA-256 of a text. Use it for random tokens and lookups, never for passwords. */
export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Generates a random secret in URL-safe base64. @param bytes number of random bytes */
export const generateSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** Returns the Hmac object of HMAC-SHA256 (RFC 2104) over `data`. Call digest() with the encoding. */
export const hmacSha256 = (key: string, data: string) => createHmac('sha256', key).update(data)

/** Compares two secrets of any length in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}
