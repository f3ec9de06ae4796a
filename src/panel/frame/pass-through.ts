import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import type { ApiStream } from './api-client.ts'
import type { PageContext } from './page.ts'

/** Headers of one connection (RFC 9110, 7.6.1), which end where the connection ends. */
const HOP_BY_HOP_HEADERS = new Set([
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
export function filterEndToEndHeaders(
  headers: IncomingHttpHeaders,
  keep = (_name: string) => true,
): Record<string, string | string[]> {
  const connectionHeaders = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const entries = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined && !HOP_BY_HOP_HEADERS.has(name) && !connectionHeaders.includes(name) && keep(name),
  )
  return Object.fromEntries(entries) as Record<string, string | string[]>
}

export function sendResponse(ctx: Context, { status, headers, body }: ApiStream): void {
  ctx.status = status
  // Set before the headers: Koa guesses a type for a body without one, and removes an unknown length.
  if (ctx.method === 'HEAD' || status === 204 || status === 304) body.resume()
  else ctx.body = body
  for (const [name, value] of Object.entries(filterEndToEndHeaders(headers))) ctx.set(name, value)
}

/** Streams a file of the API. @throws ApiError, ApiUnavailableError */
export async function streamFromApi({ ctx, api }: PageContext, path: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const conditions = filterEndToEndHeaders(ctx.headers, (name) => /^(range|if-.*)$/.test(name))
  const response = await api.fetchStream(method, path, conditions)
  // Long responses go as fast as the browser reads them; compression would slow them down.
  ctx.compress = false
  sendResponse(ctx, response)
}
