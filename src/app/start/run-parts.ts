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

/** The API may use 60 seconds to hand back its running work. */
export const API_STOP_LIMIT = 65_000
const STOP_LIMIT = 15_000
const MIGRATION_LIMIT = 30 * 60_000
const SLOW = 15_000

/** The database's address, and whether our own one was made just now. */
export async function startDatabase(
  plan: Plan,
  parts: Parts,
  signal: AbortSignal,
): Promise<{ url: string; fresh: boolean }> {
  const { config, folder } = plan
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, fresh: false }
  const options = { folder: join(folder, 'postgres'), logFile: plan.logFile('postgres'), signal }
  // Check before the first attempt: a full disk can end it after it has created the data.
  const fresh = !existsSync(join(options.folder, 'data'))
  const start = () => retryWhileFull(folder, signal, () => startPostgres(options))
  const server = await timed('database ready', start)
  parts.add(serverPart('database', server, (port) => startPostgres({ ...options, port })))
  return { url: server.url, fresh }
}

/** The address of the key-value store. */
export async function startStore(plan: Plan, parts: Parts, signal: AbortSignal): Promise<string> {
  const { config, folder } = plan
  if (config.REDIS_URL) return config.REDIS_URL
  const options = { folder: join(folder, 'redis'), logFile: plan.logFile('redis'), signal }
  const server = await timed('Redis ready', () => retryWhileFull(folder, signal, () => startRedis(options)))
  parts.add(serverPart('Redis', server, (port) => startRedis({ ...options, port })))
  return server.url
}

function serverPart(name: PartName, server: EmbeddedServer, start: (port: number) => Promise<EmbeddedServer>): Part {
  const port = Number(new URL(server.url).port)
  return { ...server, name, restart: async () => serverPart(name, await start(port), start) }
}

/** Brings the schema up to date; the wait for a database of the user's own is the command's. */
export async function migrate(plan: Plan, config: Config, signal: AbortSignal): Promise<void> {
  const logFile = plan.logFile('migrate')
  const limit = MIGRATION_LIMIT + config.DATABASE_WAIT_SECONDS * 1000
  const options = { bundle: plan.bundle, command: 'migrate', overrides: config, logFile, signal }
  await retryWhileFull(plan.folder, signal, () => runCommand(options, limit))
}

/** Launches a command of ours; the answer is called to wait until it is ready. */
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
      // `parts` handles its exit, and restarts it after a full disk.
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
  notePid(join(plan.folder, 'run', command), daemon.pid)
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

/** Notes the process id, so the next start waits for it if this one is killed. A full disk loses the note. */
function notePid(file: string, pid: number | undefined): void {
  try {
    writeFileSync(file, String(pid))
  } catch {
    // the process itself runs
  }
}

/** What a part of ours is doing: the words of the last line in its log. */
export function lastMessage(logFile: string): string | undefined {
  try {
    return (JSON.parse(lastLines(logFile, 1)) as { msg?: string }).msg
  } catch {
    return undefined // an empty log, or half a line
  }
}
