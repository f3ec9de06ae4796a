import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context, Next } from 'koa'
import { ApiUnavailableError } from './api-client.ts'
import { isCrossOriginRequest } from './origin.ts'
import { filterEndToEndHeaders, sendApiResponse } from './pass-through.ts'
import type { PageContext } from './page.ts'

/**
 * Headers that the panel does not forward from the browser. The panel sets some itself. Others describe proxies, and the API
 * would trust them. API keys work only at the API's own address, where large uploads have no limit of five minutes.
 */
const PANEL_HEADERS =
  /^(host|cookie|origin|sec-fetch-site|user-agent|x-request-id|x-action-id|x-panel-client|x-see-as|x-api-key|authorization|forwarded|x-real-ip|x-forwarded-.*)$/

/** Forwards /v1/* from the panel's address to the API with the browser's session. Streams bodies in both directions. */
export async function forwardToApi(ctx: Context, next: Next): Promise<void> {
  if (!ctx.path.startsWith('/v1/')) return next()
  // The response keeps all headers of the API, including its security policy and its request id.
  for (const name of Object.keys(ctx.response.headers)) ctx.remove(name)
  ctx.compress = false
  try {
    const body = hasBody(ctx.req) ? streamBody(ctx.req) : undefined
    sendApiResponse(ctx, await apiOf(ctx).forward(ctx.method, ctx.path + ctx.search, buildForwardedHeaders(ctx), body))
  } catch (error) {
    if (!(error instanceof ApiUnavailableError) || ctx.res.closed) throw error
    sendUnavailable(ctx, error)
  }
}

const apiOf = (ctx: Context) => (ctx.state.context as PageContext).api

/** Selects the headers to forward. Replaces the origin by the panel's own decision, because the API sees another Host. */
function buildForwardedHeaders(ctx: Context): Record<string, string | string[]> {
  const declaresOrigin = ctx.get('Sec-Fetch-Site') || ctx.get('Origin')
  return {
    ...filterEndToEndHeaders(
      ctx.headers,
      (name) => !PANEL_HEADERS.test(name) && (name !== 'content-length' || hasBody(ctx.req)),
    ),
    ...(declaresOrigin && { 'sec-fetch-site': isCrossOriginRequest(ctx) ? 'cross-site' : 'same-origin' }),
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

/**
 * Streams the request body. Drains what the API does not read, because browsers read the response only after sending everything.
 */
function streamBody(request: IncomingMessage): Readable {
  async function* chunks() {
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) yield chunk
    } finally {
      request.resume()
    }
  }
  return Readable.from(chunks(), { objectMode: false })
}

/** Responds in the JSON format of API errors, because the clients are programs. */
function sendUnavailable(ctx: Context, { cause }: ApiUnavailableError): void {
  const isTimeout = (cause as Error | undefined)?.name === 'TimeoutError'
  ctx.status = isTimeout ? 504 : 503
  ctx.set('Cache-Control', 'no-store')
  ctx.set('X-Request-Id', ctx.state.requestId as string)
  const message = isTimeout ? 'The request took longer than 5 minutes' : 'The API does not answer'
  ctx.body = { statusCode: ctx.status, message, error: STATUS_CODES[ctx.status] }
}
