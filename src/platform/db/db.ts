import 'reflect-metadata'
import pg from 'pg'
import { DataSource, type Logger } from 'typeorm'
import { migrations } from '../../../migrations/index.ts'
import { retry } from '../lib/retry.ts'
import { StartError } from '../lib/start-error.ts'
import { DATABASE_SESSION_SETTINGS } from './session-settings.ts'
import type { Sql } from './sql.ts'

/** Callers handle the errors. TypeORM also writes them to standard output, in another format than our log. */
const SILENT_LOGGER: Logger = {
  log() {},
  logMigration() {},
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
}

interface DataSourceOptions {
  poolSize?: number
  /** Entity classes for repositories (app/entities.ts). */
  entities?: (new () => object)[]
  /** Replaces the migrations of the product in tests. */
  migrations?: typeof migrations
  /** Postgres cancels longer statements with 57014; no limit by default. */
  statementTimeoutMs?: number
  /** Client-side limit for the response, in case the database host disappears. */
  queryTimeoutMs?: number
  /** Postgres cancels statements that wait longer for a lock with 55P03. */
  lockTimeoutMs?: number
}

const PRIVATE_CA_ADVICE =
  'the certificate of the database is signed by a CA that is not known here: add sslrootcert=FILE with its certificate to DATABASE_URL, or sslmode=require to encrypt without verifying'

/** Maps error codes of Node and Postgres to advice for the operator. */
const CONNECTION_ADVICE: Record<string, string> = {
  ENOTFOUND: 'the host name does not resolve: the host in DATABASE_URL is wrong',
  EAI_AGAIN: 'the host name does not resolve now: the host in DATABASE_URL may be wrong, or the name service is away',
  ECONNREFUSED: 'nothing listens on this port',
  ETIMEDOUT: 'no answer from this address',
  '28P01': 'wrong user or password: fix DATABASE_URL',
  '28000':
    'the database lets no such user in from here: the user in DATABASE_URL is wrong, or TLS is demanded (add sslmode=require), or its pg_hba.conf has no line for this address',
  SELF_SIGNED_CERT_IN_CHAIN: PRIVATE_CA_ADVICE,
  DEPTH_ZERO_SELF_SIGNED_CERT: PRIVATE_CA_ADVICE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: PRIVATE_CA_ADVICE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: PRIVATE_CA_ADVICE,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the database is for another host name than the one in DATABASE_URL: use that name, or sslmode=verify-ca with sslrootcert=FILE',
  CERT_HAS_EXPIRED: 'the certificate of the database has expired',
  '3D000': 'the database with this name does not exist',
}

const OPTIONS_REJECTED_REASON =
  'the pooler before Postgres refuses the start-up parameter options: its ignore_startup_parameters must name it'

/** Explains why a connection to the database failed. @returns the error code and a reason with advice */
export function explainDatabaseConnectionError(error: Error & { code?: string; errors?: { code?: string }[] }): {
  code: string
  reason: string
} {
  if (/unsupported startup parameter/.test(error.message)) return { code: '08P01', reason: OPTIONS_REJECTED_REASON }
  const code =
    error.code ?? error.errors?.[0]?.code ?? (/timeout expired/.test(error.message) ? 'ETIMEDOUT' : 'unknown')
  return { code, reason: CONNECTION_ADVICE[code] ?? error.message }
}

/** Formats settings for the start-up parameter `options`, because poolers reject unknown parameters of their own. */
const formatSessionOptions = ({ lockTimeoutMs = 0, statementTimeoutMs = 0 }: DataSourceOptions): string =>
  Object.entries({ ...DATABASE_SESSION_SETTINGS, lock_timeout: lockTimeoutMs, statement_timeout: statementTimeoutMs })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/**
 * A connection of the pool. pg emits an error event if Postgres ends a connection. Without a listener, the event ends the process,
 * and the pool does not listen while a connection is in use. A running statement fails anyway.
 */
class PooledClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super(options)
    this.on('error', () => undefined)
  }
}

/** Creates a DataSource without connecting it. The pool has 16 connections by default. */
export function createDataSource(url: string, options: DataSourceOptions = {}): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize: options.poolSize ?? 16,
    entities: options.entities ?? [],
    migrations: options.migrations ?? migrations,
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    applicationName: 'svc',
    logger: SILENT_LOGGER,
    connectTimeoutMS: 10_000,
    extra: {
      Client: PooledClient,
      options: formatSessionOptions(options),
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      ...(options.queryTimeoutMs && { query_timeout: options.queryTimeoutMs }),
    },
  })
}

/** Signals that `migrate` of this release has not run on the database. */
export class SchemaTooOldError extends StartError {
  constructor() {
    super('the database schema is older than this version: run the command migrate first')
  }
}

/**
 * Connects to the database and checks that all migrations ran.
 * @throws StartError with advice, SchemaTooOldError if a migration is missing
 */
export async function connectDatabase(url: string, options: DataSourceOptions): Promise<DataSource> {
  const db = await createDataSource(url, options)
    .initialize()
    .catch((error: Error) => {
      const { hostname, port } = new URL(url)
      const { code, reason } = explainDatabaseConnectionError(error)
      throw new StartError(`the database at ${hostname}:${port || 5432} cannot be used: ${reason} (${code})`)
    })
  const applied = await poolOf(db)
    .query<{ name: string }>({ text: 'SELECT name FROM schema_migrations' })
    .catch(() => ({ rows: [] }))
  const missing = migrations.filter(({ name }) => !applied.rows.some((row) => row.name === name))
  if (missing.length === 0) return db
  await db.destroy()
  throw new SchemaTooOldError()
}

/** Returns the pg pool of the DataSource. Use it for frequent statements, because it skips the overhead of entities. */
export function poolOf(db: DataSource): Sql & Omit<pg.Pool, 'query'> {
  return (db.driver as unknown as { master: Sql & Omit<pg.Pool, 'query'> }).master
}

/** Creates an unconnected client with the options of the pool but no statement or query timeout, for long work. */
export function createDedicatedDatabaseClient(db: DataSource): pg.Client {
  const options = poolOf(db).options as pg.ClientConfig
  return new pg.Client({ ...options, query_timeout: undefined, options: `${options.options} -c statement_timeout=0` })
}

/** Runs `work` in a transaction. Commits if it resolves; otherwise rolls back and rethrows the error. */
export async function runInTransaction<T>(db: DataSource, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await poolOf(db).connect()
  let connectionError: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => (connectionError = rollbackError))
    throw error
  } finally {
    client.release(connectionError)
  }
}

const DEADLOCK_CODE = '40P01'

/** Returns true if Postgres ended a deadlock with this error. The transaction can be repeated. */
export const isDeadlock = (error: unknown): boolean => (error as { code?: string }).code === DEADLOCK_CODE

/** Retries a transaction up to five times if Postgres rolled it back because of a deadlock. */
export function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, { attempts: 6, pauseMs: 0, shouldRetry: isDeadlock })
}

/** Retries `work` every 500 ms for 20 s while the database is down. `work` must be safe to repeat. */
export function retryWhileDatabaseDown<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 20_000
  return retry(work, { pauseMs: 500, shouldRetry: (error) => isDatabaseDown(error) && performance.now() <= deadline })
}

/** Returns true if the database is unreachable, shutting down or out of resources, not if the statement is wrong. */
export function isDatabaseDown(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  if (code)
    return /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|53[0-3]00|57P0\d)$/.test(
      code,
    )
  return /Connection terminated|not queryable|Query read timeout|timeout exceeded when trying to connect/.test(
    message ?? '',
  )
}

/** Returns the name of the unique index or constraint that the error violates; undefined for other errors. */
export function findViolatedUniqueIndex(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string }
  return code === '23505' ? constraint : undefined
}

/**
 * Returns ALTER ROLE statements for the session settings that a pooler did not pass to Postgres.
 * @param statementTimeoutMs statement timeout of the API, a multiple of 1000
 */
export async function listMissingSessionSettings(sql: Sql, statementTimeoutMs: number): Promise<string[]> {
  const expectedSettings: Record<string, string> = {
    ...DATABASE_SESSION_SETTINGS,
    statement_timeout: `${statementTimeoutMs / 1000}s`,
  }
  const { rows } = await sql.query<{ name: string; role: string }>({
    text: `SELECT name, quote_ident(current_user) AS role FROM json_each_text($1) AS wanted (name, value)
            WHERE current_setting(name) <> value ORDER BY name`,
    values: [JSON.stringify(expectedSettings)],
  })
  return rows.map(({ name, role }) => `ALTER ROLE ${role} SET ${name} = '${expectedSettings[name]}'`)
}
