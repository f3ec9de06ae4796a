import { AsyncLocalStorage } from 'node:async_hooks'
import { pino, type Logger } from 'pino'
import type { LanguageCode } from './messages.ts'
import { LineOutput } from './line-output.ts'

export type { Logger }

/** Contains the data of the current request for log lines, audit entries and messages. */
interface RequestTrace {
  requestId: string
  address: string
  /** Id that the panel sends with all requests of one page or form. */
  actionId?: string | undefined
  /** True for the changes of a bulk action. */
  isBulk?: boolean
  language: LanguageCode
}

const requestStorage = new AsyncLocalStorage<RequestTrace>()

/** Runs `work` in the context of a request. Its log lines and audit entries contain the request id. */
export const runInRequestContext = <T>(trace: RequestTrace, work: () => T): T => requestStorage.run(trace, work)

/** Returns the data of the current request; undefined in background work. */
export const getCurrentRequestTrace = (): RequestTrace | undefined => requestStorage.getStore()

/** Returns true in a bulk action, which can change thousands of calls. */
export const isInBulkAction = (): boolean => getCurrentRequestTrace()?.isBulk === true

/** Returns the language of the current request; English in background work. */
export const getCurrentLanguage = (): LanguageCode => getCurrentRequestTrace()?.language ?? 'en'

/**
 * Creates a structured logger on standard output. A full disk loses lines but does not end the process.
 * Redacts known paths of secrets only as a second line of defence. Code must never log headers, bodies or connection URLs.
 */
export function createLogger(level: string, component: string): Logger {
  const options = {
    level,
    base: { component },
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => ({ requestId: requestStorage.getStore()?.requestId }),
    serializers: { err: serializeError },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['*.password', '*.key', '*.authorization', '*.cookie', '*.headers'], censor: '[secret]' },
  }
  return pino(options, new LineOutput(1))
}

/** Creates the logger of a process, which also receives the warnings of Node. */
export function createProcessLogger(level: string, component: string): Logger {
  const log = createLogger(level, component)
  process.removeAllListeners('warning')
  process.on('warning', (warning: Error & { code?: string }) =>
    log.warn({ warning: warning.name, code: warning.code }, warning.message),
  )
  return log
}

/** Logs only these properties of an error, because others can contain rows, parameters or URLs with secrets. */
function serializeError(error: unknown): object {
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
    ...(cause !== undefined && { cause: serializeError(cause) }),
  }
}
