import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { waitForCommandReady, launchCommand, runCommand, type ReadinessCheck } from '../embedded/command.ts'
import { startPostgres, startRedis, type EmbeddedServer } from '../embedded/index.ts'
import { readLastLines } from '../embedded/process.ts'
import { retryWhileDiskFull } from './full-disk.ts'
import type { ServicePart, ServicePartName, ServicePartSupervisor } from './part-supervisor.ts'
import type { StartPlan } from './plan.ts'
import { printTerminalLine, formatSecondsSince, runAndPrintDuration } from './progress.ts'

/** In milliseconds. The API stops within 60 seconds; the rest is a margin. */
export const API_STOP_LIMIT_MS = 65_000
const PART_STOP_LIMIT_MS = 15_000
const MIGRATION_LIMIT_MS = 30 * 60_000
const SLOW_START_MS = 15_000

/**
 * Starts the embedded database, unless DATABASE_URL is set.
 * @returns the URL; `fresh` is true if the database was created
 */
export async function startDatabase(
  plan: StartPlan,
  parts: ServicePartSupervisor,
  signal: AbortSignal,
): Promise<{ url: string; fresh: boolean }> {
  const { config, folder } = plan
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, fresh: false }
  const options = { folder: join(folder, 'postgres'), logFile: plan.logFile('postgres'), signal }
  // The check precedes the first attempt, because an attempt that fails on a full disk can leave the folder behind.
  const fresh = !existsSync(join(options.folder, 'data'))
  const url = await startEmbedded('database', plan, parts, signal, (port) => startPostgres({ ...options, port }))
  return { url, fresh }
}

/**
 * Starts the embedded Redis, unless REDIS_URL is set.
 * @returns the URL
 */
export async function startRedisServer(
  plan: StartPlan,
  parts: ServicePartSupervisor,
  signal: AbortSignal,
): Promise<string> {
  const { config, folder } = plan
  if (config.REDIS_URL) return config.REDIS_URL
  const options = { folder: join(folder, 'redis'), logFile: plan.logFile('redis'), signal }
  return startEmbedded('Redis', plan, parts, signal, (port) => startRedis({ ...options, port }))
}

type StartServer = (port?: number) => Promise<EmbeddedServer>

async function startEmbedded(
  name: ServicePartName,
  { folder }: StartPlan,
  parts: ServicePartSupervisor,
  signal: AbortSignal,
  start: StartServer,
): Promise<string> {
  const server = await runAndPrintDuration(`${name} ready`, () => retryWhileDiskFull(folder, signal, () => start()))
  parts.add(createServerPart(name, server, start))
  return server.url
}

function createServerPart(name: ServicePartName, server: EmbeddedServer, start: StartServer): ServicePart {
  const port = Number(new URL(server.url).port)
  return { ...server, name, restart: async () => createServerPart(name, await start(port), start) }
}

/**
 * Runs the command `migrate`.
 * @throws Error with the last lines of the log if it fails
 */
export async function runMigrateCommand(plan: StartPlan, config: Config, signal: AbortSignal): Promise<void> {
  const logFile = plan.logFile('migrate')
  const limit = MIGRATION_LIMIT_MS + config.DATABASE_WAIT_SECONDS * 1000
  const options = { bundle: plan.bundle, command: 'migrate', overrides: config, logFile, signal }
  await retryWhileDiskFull(plan.folder, signal, () => runCommand(options, limit))
}

/**
 * Launches a command of the bundle as a part of the service.
 * @returns a function that waits until the part is ready
 */
export function launchServicePart(
  plan: StartPlan,
  parts: ServicePartSupervisor,
  signal: AbortSignal,
  { command, name, config }: { command: string; name: ServicePartName; config: Config },
): (readiness: ReadinessCheck) => Promise<void> {
  signal.throwIfAborted()
  const start = performance.now()
  const logFile = plan.logFile(command)
  parts.add(createCommandPart(plan, { command, name, config }))
  return async (readiness) => {
    let printedMessage: string | undefined
    const slowTimer = setInterval(() => {
      const message = readLastLogMessage(logFile) ?? `what it does is in ${logFile}`
      if (message !== printedMessage) printTerminalLine(`${name} needs longer: ${message}`)
      printedMessage = message
    }, SLOW_START_MS)
    try {
      // ServicePartSupervisor handles the exit of the process.
      const ready = () => waitForCommandReady(undefined, { command: name, logFile, signal }, readiness)
      await retryWhileDiskFull(plan.folder, signal, ready)
      printTerminalLine(`${name} ready (${formatSecondsSince(start)})`)
    } finally {
      clearInterval(slowTimer)
    }
  }
}

function createCommandPart(
  plan: StartPlan,
  what: { command: string; name: ServicePartName; config: Config },
): ServicePart {
  const { command, name, config } = what
  const logFile = plan.logFile(command)
  const daemon = launchCommand({ bundle: plan.bundle, command, overrides: config, logFile })
  writePid(join(plan.folder, 'run', command), daemon.pid)
  const limit = command === 'api' ? API_STOP_LIMIT_MS : PART_STOP_LIMIT_MS
  return {
    name,
    logFile,
    exited: daemon.exited,
    stop: () => daemon.stop(['SIGTERM', limit]),
    kill: () => daemon.stop(),
    restart: async () => createCommandPart(plan, what),
  }
}

/**
 * Writes the process id, so that the next start can wait for the end of the process. Errors are ignored, because the part works
 * without the file.
 */
function writePid(file: string, pid: number | undefined): void {
  try {
    writeFileSync(file, String(pid))
  } catch {
    // the process itself runs
  }
}

/** Returns the message of the last line of a JSON log; undefined if there is none. */
export function readLastLogMessage(logFile: string): string | undefined {
  try {
    return (JSON.parse(readLastLines(logFile, 1)) as { msg?: string }).msg
  } catch {
    return undefined // The log is empty or ends with half a line.
  }
}
