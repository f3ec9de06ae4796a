import type http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSequentialHttpServer, type ErrorResponseFormatter } from './connections.ts'
import { StartError } from './start-error.ts'

/** Represents a listening HTTP server. */
export interface RunningHttpServer {
  port: number
  /** Accepts no new connections, waits up to `graceSeconds` for running requests, then closes all connections. */
  close(graceSeconds: number): Promise<void>
}

/** Contains the time limits of a server in milliseconds, and the format of its errors. */
export interface HttpServerLimits {
  /** Until the whole request has arrived. */
  request: number
  /** Idle timeout of a connection in use. Omit it if a paused player can keep its response open. */
  silence?: number
  /** Interval of the checks for late requests; 30 s by default. */
  checks?: number
  /** Formats errors outside of handlers. */
  refuse: ErrorResponseFormatter
}

/**
 * Starts an HTTP server. Headers must arrive within 20 s, or within `limits.request` if that is shorter.
 * @throws StartError if the port is taken or forbidden, or the address is not one of this machine
 */
export async function startHttpServer(
  handle: http.RequestListener,
  host: string,
  port: number,
  limits: HttpServerLimits,
): Promise<RunningHttpServer & { server: http.Server }> {
  const server = createSequentialHttpServer(
    {
      requestTimeout: limits.request,
      headersTimeout: Math.min(20_000, limits.request),
      connectionsCheckingInterval: limits.checks ?? 30_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 32 * 1024,
      refuse: limits.refuse,
    },
    handle,
  )
  server.timeout = limits.silence ?? 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toStartError(error, host, port)))
    server.listen(port, host, resolve)
  })
  return { server, port: (server.address() as AddressInfo).port, close: (grace) => closeGracefully(server, grace) }
}

function toStartError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') return new StartError(`port ${port} of ${host} is taken by another process`)
  if (error.code === 'EACCES') return new StartError(`port ${port} of ${host} may not be used by this user`)
  if (error.code === 'EADDRNOTAVAIL') return new StartError(`${host} is no address of this machine`)
  return error
}

async function closeGracefully(server: http.Server, graceSeconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Close connections that become idle during the grace time; otherwise they stay open until it ends.
  const idleTimer = setInterval(() => server.closeIdleConnections(), 100)
  const forceCloseTimer = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000)
  await closed
  clearInterval(idleTimer)
  clearTimeout(forceCloseTimer)
}
