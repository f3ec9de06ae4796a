import { statfsSync } from 'node:fs'
import type { Config } from '../../platform/config/config.ts'
import { readLastLines, pollUntil } from '../embedded/process.ts'

/** The API can take this long to detect that the recognizer is ready. */
const RECOGNIZER_LIMIT_MS = 15_000

type Readiness = Record<'database' | 'redis' | 'asr' | 'storage', 'up' | 'down'>

interface DownPart {
  part: string
  reason: string
}

const PART_NAMES = { database: 'database', redis: 'Redis', asr: 'recognizer', storage: 'storage' } as const

/**
 * Fetches from the API which parts are not ready, each with a reason. It waits for the recognizer, unless the recognizer
 * downloads its model.
 * @param logFile the log of the API, which the reasons mention
 * @param fetching the log message about the download, if it runs
 */
export async function fetchUnreadyParts(
  config: Config,
  logFile: string,
  fetching: string | undefined,
  signal: AbortSignal,
): Promise<DownPart[]> {
  let readiness = await fetchReadiness(config)
  const isRecognizerReady = async () => {
    readiness = await fetchReadiness(config)
    return fetching !== undefined || readiness?.asr === 'up'
  }
  await pollUntil('the API does not see the recognizer', RECOGNIZER_LIMIT_MS, signal, isRecognizerReady).catch(() =>
    signal.throwIfAborted(),
  )
  if (!readiness) return [{ part: 'API', reason: `it does not answer; its log is ${logFile}` }]
  const parts = (['database', 'redis', 'asr', 'storage'] as const).filter((part) => readiness![part] !== 'up')
  return parts.map((part) => ({ part: PART_NAMES[part], reason: formatReason(part, config, logFile, fetching) }))
}

async function fetchReadiness({ apiUrl }: Config): Promise<Readiness | undefined> {
  try {
    const response = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(5000) })
    return (await response.json()) as Readiness
  } catch {
    return undefined
  }
}

function formatReason(part: keyof Readiness, config: Config, logFile: string, fetching: string | undefined): string {
  if (part === 'asr' && fetching) return fetching
  if (part !== 'storage') return `it does not answer; the log is ${logFile}`
  if (config.STORAGE_KIND === 'local' && isAlmostFull(config)) {
    return `the disk of ${config.audioDir} has less room than the largest upload (MAX_UPLOAD_MB=${config.MAX_UPLOAD_MB})`
  }
  return readLastError(logFile) ?? `the log is ${logFile}`
}

function isAlmostFull({ audioDir, MAX_UPLOAD_MB }: Config): boolean {
  try {
    const { bavail, bsize } = statfsSync(audioDir)
    return bavail * bsize < MAX_UPLOAD_MB * 1024 ** 2
  } catch {
    return false // The folder does not exist.
  }
}

function readLastError(logFile: string): string | undefined {
  const errors = readLastLines(logFile, 200)
    .split('\n')
    .flatMap((line) => {
      try {
        const { level, msg } = JSON.parse(line) as { level?: string; msg?: string }
        return level === 'error' && msg ? [msg] : []
      } catch {
        return []
      }
    })
  return errors.at(-1)
}
