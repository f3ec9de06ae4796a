import { AsyncLocalStorage } from 'node:async_hooks'
import { pino, type Logger } from 'pino'

export type { Logger }

const requests = new AsyncLocalStorage<{ requestId: string }>()

/** Runs the work of a request: every line that is logged in it, however deep, carries the request's id. */
export const inRequest = <T>(requestId: string, work: () => T): T => requests.run({ requestId }, work)

/**
 * The process's structured log on standard output. Known places of secrets are redacted as a second line of
 * defence; the first is that no code logs headers, bodies or connection addresses.
 */
export function createLog(level: string, component: string): Logger {
  return pino({
    level,
    base: { component },
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => ({ ...requests.getStore() }),
    serializers: { err: describeError },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['*.password', '*.key', '*.authorization', '*.cookie', '*.headers'], censor: '[secret]' },
  })
}

/** What of an error tells where it comes from. Its other properties may hold rows, parameters or addresses with secrets. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause } = error
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string }
  return {
    type: name,
    message,
    code,
    table,
    constraint,
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}
