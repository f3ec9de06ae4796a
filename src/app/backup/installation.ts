import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DataSource } from 'typeorm'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import { connectDatabase } from '../../platform/db/db.ts'
import { startPostgres } from '../embedded/index.ts'
import { formatDatabaseAddress, loadLastStartDatabase } from '../start/last-start-database.ts'
import { lockInstallationFolder } from '../start/lock.ts'
import { createInstallationFolders, createStartPlan, type StartPlan } from '../start/plan.ts'

/** A configuration in which DATABASE_URL is set, as backup, restore and check need it. */
export type InstallationConfig = Config & { DATABASE_URL: string }

/** `start` is the installation of `npm start` in this folder, `stack` the one of compose.yml. */
export const INSTALLATION_KINDS = ['start', 'stack'] as const
export type InstallationKind = (typeof INSTALLATION_KINDS)[number]

interface InstallationOptions {
  printStatus: (text: string) => void
  named?: InstallationKind | undefined
  /** True if the work fills an empty installation, which the caller must then name. */
  fills?: boolean
}

/**
 * Runs `work` with the configuration of an installation. Without `named`, it chooses `npm start` if .svc exists or DATABASE_URL
 * is unset, else the stack.
 * If the Postgres of `npm start` is not running, it runs only during `work`.
 * @throws Error with instructions if the installation is ambiguous or has no database
 */
export async function runWithInstallationConfig<T>(
  options: InstallationOptions,
  work: (config: InstallationConfig) => Promise<T>,
): Promise<T> {
  const plan = createStartPlan(process.env, {})
  const { DATABASE_URL } = plan.config
  if (!DATABASE_URL) return withEmbeddedDatabase(plan, options, (url) => work({ ...plan.config, DATABASE_URL: url }))
  const installation = options.named ?? (existsSync(plan.folder) ? 'start' : 'stack')
  if (options.fills && !options.named && installation === 'stack') throw new Error(formatUnnamedError(plan))
  const config = installation === 'start' ? plan.config : parseConfig('migrate', process.env)
  const name = installation === 'start' ? `npm start in ${plan.project}` : 'the stack'
  options.printStatus(
    `${name}: database ${formatDatabaseAddress(DATABASE_URL)}, audio in ${formatAudioLocation(config)}`,
  )
  return work({ ...config, DATABASE_URL })
}

/** Runs `work` with a connection to the database of an installation, then closes the connection. */
export async function withInstallationDatabase<T>(
  { DATABASE_URL }: InstallationConfig,
  work: (db: DataSource) => Promise<T>,
): Promise<T> {
  const db = await connectDatabase(DATABASE_URL, { poolSize: 6 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

const formatUnnamedError = ({ project, config }: StartPlan): string =>
  `there is no .svc in ${project}, so it is not clear where the audio belongs. Add --installation start for npm start ` +
  `(audio in ${formatAudioLocation(config)}) or --installation stack (audio in ${formatAudioLocation(parseConfig('migrate', process.env))})`

const formatAudioLocation = (config: Config): string =>
  config.STORAGE_KIND === 's3' ? `the bucket ${config.S3_BUCKET}` : config.audioDir

async function withEmbeddedDatabase<T>(
  plan: StartPlan,
  { printStatus: tell, named, fills }: InstallationOptions,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (named === 'stack') throw new Error('the stack needs DATABASE_URL: set it as for svc-api')
  const lastDatabase = loadLastStartDatabase(plan.folder)
  if (lastDatabase && lastDatabase !== 'own' && !named) {
    throw new Error(
      `npm start in ${plan.project} uses the database ${lastDatabase}: set DATABASE_URL as it is set there`,
    )
  }
  const folder = join(plan.folder, 'postgres')
  if (!fills && !existsSync(join(folder, 'data'))) {
    throw new Error(`there is no database in ${folder}: set DATABASE_URL, or run npm start in ${plan.project} first`)
  }
  tell(`npm start in ${plan.project}: its own Postgres, audio in ${formatAudioLocation(plan.config)}`)
  createInstallationFolders(plan)
  const isRunning = await lockInstallationFolder(plan.folder).then(
    () => false,
    () => true,
  )
  if (isRunning) return work(loadRunningUrl(folder))
  const server = await startPostgres({ folder, logFile: plan.logFile('postgres') })
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

function loadRunningUrl(folder: string): string {
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
