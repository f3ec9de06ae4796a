import type { Context } from 'koa'

/** Returns a signal that aborts when the client disconnects. Also disables the idle timeout while we compute. */
export function createClientAbortSignal(ctx: Context): AbortSignal {
  const controller = new AbortController()
  ctx.req.socket.setTimeout(0)
  ctx.res.once('close', () => controller.abort())
  return controller.signal
}
