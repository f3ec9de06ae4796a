import type { IncomingHttpHeaders } from 'node:http'
import type { PageContext } from './context.ts'

/** What the browser asks about a file, and what it is told: the panel passes both on as they are. */
const ASKED = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']
const TOLD = [
  'content-type',
  'content-length',
  'content-range',
  'content-disposition',
  'accept-ranges',
  'etag',
  'last-modified',
  'cache-control',
  'x-transcripts-matching',
  'x-transcripts-exported',
]

/** Answers with a file of the API as it comes. @throws ApiError, ApiDown */
export async function passThrough({ ctx, api }: PageContext, path: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const { status, headers, body } = await api.stream(method, path, pick(ctx.headers, ASKED))
  ctx.status = status
  // What is long goes as fast as the browser reads it; compressing it would only slow it down.
  ctx.compress = false
  // Set before the headers: Koa guesses a type for a body that has none, and takes the length of an unknown one away.
  if (method === 'HEAD' || status === 304) body.resume()
  else ctx.body = body
  for (const [name, value] of Object.entries(pick(headers, TOLD))) ctx.set(name, value)
}

function pick(headers: IncomingHttpHeaders, names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
