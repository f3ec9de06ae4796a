import { createHash, createHmac } from 'node:crypto'
import type http from 'node:http'

/**
 * Checks the AWS signature (version 4) in the header of a request, because s3rver does not.
 * It follows the AWS documentation and shares no code with the client.
 */
export function hasValidS3Signature(request: http.IncomingMessage, secret: string): boolean {
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': bodyHash } = request.headers
  const authorizationMatch =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(authorization)
  if (!authorizationMatch) return false
  const [, scope, signedHeaders, signature] = authorizationMatch
  const [path, query = ''] = request.url!.split('?')
  const canonical = [
    request.method,
    path!.split('/').map(encodePart).join('/'),
    query
      .split('&')
      .filter(Boolean)
      .map((pair) => pair.split('='))
      .map(([name, value = '']) => `${encodePart(name!)}=${encodePart(value)}`)
      .sort()
      .join('&'),
    ...signedHeaders!.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders,
    bodyHash,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = scope!.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, toSign).toString('hex') === signature
}

/** Encodes one segment of a path or query as signatures require. */
const encodePart = (part: string): string =>
  encodeURIComponent(decodeURIComponent(part)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
