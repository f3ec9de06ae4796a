import type { Context } from 'koa'

/** Aborted when the caller goes away. Their connection may stay silent meanwhile: it is we who are at work. */
export function whileWaitedFor(ctx: Context): AbortSignal {
  const gone = new AbortController()
  ctx.req.socket.setTimeout(0)
  ctx.res.once('close', () => gone.abort())
  return gone.signal
}
