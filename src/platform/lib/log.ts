import { AsyncLocalStorage } from 'node:async_hooks'
import { pino, type Logger } from 'pino'
import type { LanguageCode } from './messages.ts'
import { LineOutput } from './line-output.ts'

export type { Logger }

/** The fields of a request that all its log lines have. */
interface RequestTrace {
  requestId: string
  address: string
  /** The id that a page sends with all requests of one action of a person. */
  actionId?: string | undefined
  /** The language of its response. */
  language: LanguageCode
}

const requestStorage = new AsyncLocalStorage<RequestTrace>()

/** Runs the work of a request: all its log lines and audit entries have the request's id. */
export const runInRequest = <T>(trace: RequestTrace, work: () => T): T => requestStorage.run(trace, work)

/** The current request; none in background work. */
export const getCurrentRequest = (): RequestTrace | undefined => requestStorage.getStore()

/** The language of texts for people: the request's; English in background work. */
export const getCurrentLanguage = (): LanguageCode => getCurrentRequest()?.language ?? 'en'

/**
 * The process's structured log on standard output; a full disk loses lines but does not end the process. Known paths of secrets are
 * redacted as a second line of defence; the first is that no code logs headers, bodies or connection addresses.
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

/** The log of a whole process, which also gets the warnings of Node. */
export function createProcessLogger(level: string, component: string): Logger {
  const log = createLogger(level, component)
  process.removeAllListeners('warning')
  process.on('warning', (warning: Error & { code?: string }) =>
    log.warn({ warning: warning.name, code: warning.code }, warning.message),
  )
  return log
}

/** The origin of an error. Its other properties can contain rows, parameters or addresses with secrets. */
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
