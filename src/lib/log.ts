import { pino, type Logger } from 'pino'

export type { Logger }

/**
 * The process's structured log on standard output. Known places of secrets are redacted as a second line of
 * defence; the first is that no code logs headers, bodies or connection addresses.
 */
export function createLog(level: string, component: string): Logger {
  return pino({
    level,
    base: { component },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['*.password', '*.key', '*.authorization', '*.cookie', '*.headers'], censor: '[secret]' },
  })
}
