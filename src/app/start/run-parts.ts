import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { commandReady, launchCommand, runCommand, type Readiness } from '../embedded/command.ts'
import { startPostgres, startRedis, type EmbeddedServer } from '../embedded/index.ts'
import { lastLines } from '../embedded/process.ts'
import { retryWhileFull } from './full-disk.ts'
import type { Part, PartName, Parts } from './parts.ts'
import type { Plan } from './plan.ts'
import { say, seconds, timed } from './progress.ts'

/** The API releases its work within 60 seconds. */
export const API_STOP_LIMIT = 65_000
const STOP_LIMIT = 15_000
const MIGRATION_LIMIT = 30 * 60_000
const SLOW = 15_000

export async function startDatabase(
  plan: Plan,
  parts: Parts,
  signal: AbortSignal,
): Promise<{ url: string; fresh: boolean }> {
  const { config, folder } = plan
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, fresh: false }
  const options = { folder: join(folder, 'postgres'), logFile: plan.logFile('postgres'), signal }
  // A full disk can end the first attempt after it has created the data.
  const fresh = !existsSync(join(options.folder, 'data'))
  const url = await startOwn('database', plan, parts, signal, (port) => startPostgres({ ...options, port }))
  return { url, fresh }
}

export async function startStore(plan: Plan, parts: Parts, signal: AbortSignal): Promise<string> {
  const { config, folder } = plan
  if (config.REDIS_URL) return config.REDIS_URL
  const options = { folder: join(folder, 'redis'), logFile: plan.logFile('redis'), signal }
  return startOwn('Redis', plan, parts, signal, (port) => startRedis({ ...options, port }))
}

type StartServer = (port?: number) => Promise<EmbeddedServer>

async function startOwn(
  name: PartName,
  { folder }: Plan,
  parts: Parts,
  signal: AbortSignal,
  start: StartServer,
): Promise<string> {
  const server = await timed(`${name} ready`, () => retryWhileFull(folder, signal, () => start()))
  parts.add(serverPart(name, server, start))
  return server.url
}

function serverPart(name: PartName, server: EmbeddedServer, start: StartServer): Part {
  const port = Number(new URL(server.url).port)
  return { ...server, name, restart: async () => serverPart(name, await start(port), start) }
}

export async function migrate(plan: Plan, config: Config, signal: AbortSignal): Promise<void> {
  const logFile = plan.logFile('migrate')
  const limit = MIGRATION_LIMIT + config.DATABASE_WAIT_SECONDS * 1000
  const options = { bundle: plan.bundle, command: 'migrate', overrides: config, logFile, signal }
  await retryWhileFull(plan.folder, signal, () => runCommand(options, limit))
}

/** Launches a command; the returned function waits until it is ready. */
export function launchPart(
  plan: Plan,
  parts: Parts,
  signal: AbortSignal,
  { command, name, config }: { command: string; name: PartName; config: Config },
): (readiness: Readiness) => Promise<void> {
  signal.throwIfAborted()
  const start = performance.now()
  const logFile = plan.logFile(command)
  parts.add(commandPart(plan, { command, name, config }))
  return async (readiness) => {
    let told: string | undefined
    const slow = setInterval(() => {
      const words = lastMessage(logFile) ?? `what it does is in ${logFile}`
      if (words !== told) say(`${name} needs longer: ${words}`)
      told = words
    }, SLOW)
    try {
      // `parts` handles its exit.
      const ready = () => commandReady(undefined, { command: name, logFile, signal }, readiness)
      await retryWhileFull(plan.folder, signal, ready)
      say(`${name} ready (${seconds(start)})`)
    } finally {
      clearInterval(slow)
    }
  }
}

function commandPart(plan: Plan, what: { command: string; name: PartName; config: Config }): Part {
  const { command, name, config } = what
  const logFile = plan.logFile(command)
  const daemon = launchCommand({ bundle: plan.bundle, command, overrides: config, logFile })
  writePid(join(plan.folder, 'run', command), daemon.pid)
  const limit = command === 'api' ? API_STOP_LIMIT : STOP_LIMIT
  return {
    name,
    logFile,
    exited: daemon.exited,
    stop: () => daemon.stop(['SIGTERM', limit]),
    kill: () => daemon.stop(),
    restart: async () => commandPart(plan, what),
  }
}

/** Writes the process id, so that the next start waits for it. A full disk is ignored. */
function writePid(file: string, pid: number | undefined): void {
  try {
    writeFileSync(file, String(pid))
  } catch {
    // the process itself runs
  }
}

export function lastMessage(logFile: string): string | undefined {
  try {
    return (JSON.parse(lastLines(logFile, 1)) as { msg?: string }).msg
  } catch {
    return undefined // an empty log, or half a line
  }
}
