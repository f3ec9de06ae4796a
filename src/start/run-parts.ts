import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { commandReady, launchCommand, runCommand, type Readiness } from '../embedded/command.ts'
import { startPostgres, startRedis } from '../embedded/index.ts'
import { lastLines } from '../embedded/process.ts'
import type { PartName, Parts } from './parts.ts'
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
  const server = await timed('database ready', () => startPostgres(options))
  parts.add({ ...server, name: 'database' })
  return server
}

/** The address of the key-value store. */
export async function startStore(plan: Plan, parts: Parts, signal: AbortSignal): Promise<string> {
  const { config, folder } = plan
  if (config.REDIS_URL) return config.REDIS_URL
  const options = { folder: join(folder, 'redis'), logFile: plan.logFile('redis'), signal }
  const server = await timed('Redis ready', () => startRedis(options))
  parts.add({ ...server, name: 'Redis' })
  return server.url
}

/** Brings the schema up to date; the wait for a database of the user's own is the command's. */
export async function migrate(plan: Plan, config: Config, signal: AbortSignal): Promise<void> {
  const logFile = plan.logFile('migrate')
  const limit = MIGRATION_LIMIT + config.DATABASE_WAIT_SECONDS * 1000
  await runCommand({ bundle: plan.bundle, command: 'migrate', overrides: config, logFile, signal }, limit)
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
  const daemon = launchCommand({ bundle: plan.bundle, command, overrides: config, logFile })
  // The next start waits for it, should this one be killed.
  writeFileSync(join(plan.folder, 'run', command), String(daemon.pid))
  const limit = command === 'api' ? API_STOP_LIMIT : STOP_LIMIT
  parts.add({
    name,
    logFile,
    exited: daemon.exited,
    stop: () => daemon.stop(['SIGTERM', limit]),
    kill: () => daemon.stop(),
  })
  return async (readiness) => {
    let told: string | undefined
    const slow = setInterval(() => {
      const words = lastMessage(logFile) ?? `what it does is in ${logFile}`
      if (words !== told) say(`${name} needs longer: ${words}`)
      told = words
    }, SLOW)
    try {
      await commandReady(daemon, { command: name, logFile, signal }, readiness)
      say(`${name} ready (${seconds(start)})`)
    } finally {
      clearInterval(slow)
    }
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
