import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import type { ApiStream } from './api-client.ts'
import type { PageContext } from './page.ts'

/** Headers of one connection (RFC 9110, 7.6.1), which end where the connection ends. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of a message except those of its connection; with `keep` some of them. */
export function endToEnd(
  headers: IncomingHttpHeaders,
  keep = (_name: string) => true,
): Record<string, string | string[]> {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name) && keep(name),
  )
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

export function passOn(ctx: Context, { status, headers, body }: ApiStream): void {
  ctx.status = status
  // Set before the headers: Koa guesses a type for a body without one, and removes an unknown length.
  if (ctx.method === 'HEAD' || status === 204 || status === 304) body.resume()
  else ctx.body = body
  for (const [name, value] of Object.entries(endToEnd(headers))) ctx.set(name, value)
}

/** Streams a file of the API. @throws ApiError, ApiDown */
export async function passThrough({ ctx, api }: PageContext, path: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const conditions = endToEnd(ctx.headers, (name) => /^(range|if-.*)$/.test(name))
  const answer = await api.stream(method, path, conditions)
  // Long responses go as fast as the browser reads them; compression would slow them down.
  ctx.compress = false
  passOn(ctx, answer)
}
