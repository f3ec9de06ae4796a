import type { Context } from 'koa'

/**
 * Returns a signal that aborts when the client disconnects or the response has ended. Also disables the idle timeout of the
 * connection.
 */
export function createClientAbortSignal(ctx: Context): AbortSignal {
  const controller = new AbortController()
  ctx.req.socket.setTimeout(0)
  ctx.res.once('close', () => controller.abort())
  return controller.signal
}
