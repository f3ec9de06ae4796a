import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { startPostgres } from '../embedded/index.ts'
import { readConfig } from '../config.ts'
import { lockFolder } from '../start/lock.ts'
import { makeFolders, makePlan, type Plan } from '../start/plan.ts'

export type InstallationConfig = Config & { DATABASE_URL: string }

/**
 * Runs `work` on the data of this installation: that of `npm start` where there is .svc or no DATABASE_URL, else that of
 * the stack. Its own Postgres is used where it runs, and started for the while where it does not.
 */
export async function onInstallation<T>(work: (config: InstallationConfig) => Promise<T>): Promise<T> {
  const plan = makePlan(process.env, {})
  const { DATABASE_URL } = plan.config
  if (!DATABASE_URL) return withOwnDatabase(plan, (url) => work({ ...plan.config, DATABASE_URL: url }))
  const config = existsSync(plan.folder) ? plan.config : readConfig('migrate', process.env)
  return work({ ...config, DATABASE_URL })
}

async function withOwnDatabase<T>(plan: Plan, work: (url: string) => Promise<T>): Promise<T> {
  makeFolders(plan)
  const folder = join(plan.folder, 'postgres')
  const isOurs = await lockFolder(plan.folder).then(
    () => true,
    () => false,
  )
  if (!isOurs) return work(runningUrl(folder))
  const server = await startPostgres({ folder, logFile: plan.logFile('postgres') })
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/** The address of the Postgres that a running `start` has started. */
function runningUrl(folder: string): string {
  try {
    const port = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[3]!
    const password = readFileSync(join(folder, 'password'), 'utf8')
    return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  } catch (error) {
    throw new Error('npm start is just starting or stopping here: wait until it is ready, then try again', {
      cause: error,
    })
  }
}
