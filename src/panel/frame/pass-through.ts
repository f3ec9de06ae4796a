import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import type { ApiStreamResponse } from './api-client.ts'
import type { PageContext } from './page.ts'

/** Headers that apply to one connection only and that a proxy must not forward (RFC 9110, section 7.6.1), and `expect`. */
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

/** Removes headers that apply to one connection only. @param keep selects among the other names */
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

/** Sends an API response with its status, its end-to-end headers and its streamed body to the browser. */
export function sendApiResponse(ctx: Context, { status, headers, body }: ApiStreamResponse): void {
  ctx.status = status
  // The body is set first, because Koa then sets a type and removes the length; the API's headers replace them.
  if (ctx.method === 'HEAD' || status === 204 || status === 304) body.resume()
  else ctx.body = body
  for (const [name, value] of Object.entries(filterEndToEndHeaders(headers))) ctx.set(name, value)
}

/**
 * Streams a file of the API to the browser, with support for ranges and conditional requests. @throws ApiError,
 * ApiUnavailableError
 */
export async function streamFromApi({ ctx, api }: PageContext, path: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const conditions = filterEndToEndHeaders(ctx.headers, (name) => /^(range|if-.*)$/.test(name))
  const response = await api.fetchStream(method, path, conditions)
  // Compression would delay long responses, which otherwise arrive as fast as the browser reads them.
  ctx.compress = false
  sendApiResponse(ctx, response)
}
