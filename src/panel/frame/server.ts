import type Koa from 'koa'
import { startHttpServer, type RunningHttpServer } from '../../platform/lib/http-server.ts'

/** Time limit until a request has arrived, and of a streamed or forwarded request with its response. */
export const PANEL_REQUEST_LIMIT_MS = 300_000

/**
 * Starts the HTTP server of the panel. It has no idle timeout, because a paused player keeps its response open. @throws
 * StartError if the address is taken, unknown or forbidden
 */
export function startPanelServer(
  app: Koa,
  host: string,
  port: number,
  requestLimitMs = PANEL_REQUEST_LIMIT_MS,
): Promise<RunningHttpServer> {
  const handle = app.callback()
  const limits = { request: requestLimitMs, refuse: renderRejection }
  return startHttpServer((request, response) => void handle(request, response), host, port, limits)
}

/** Responds in both languages, because the language of an unparsable request is unknown. */
function renderRejection(status: number) {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
  }
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status}</title>
<h1>${status}</h1>
<p>The request is invalid or took too long. Delete the cookies of this site and try again.</p>
<p lang="ru">Запрос неверен или шёл слишком долго. Удалите cookie этого сайта и повторите.</p>
</html>
`
  return { headers, body }
}
