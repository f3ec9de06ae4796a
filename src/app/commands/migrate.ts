import type { Sql } from '../../platform/db/sql.ts'
import pg from 'pg'
import type { DataSource, QueryRunner } from 'typeorm'
import { migrations } from '../../../migrations/index.ts'
import { ADVISORY_LOCK_KEYS } from '../../platform/db/advisory-locks.ts'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import { createDataSource, explainDatabaseConnectionError, poolOf } from '../../platform/db/db.ts'
import { compareDatabaseSchema } from '../../platform/db/schema-comparison.ts'
import { createProcessLogger, type Logger } from '../../platform/lib/log.ts'
import { retry } from '../../platform/lib/retry.ts'
import type { CommandRunner } from './command.ts'

/** A migration that waits for a lock blocks all later statements on the table, even reads. So it gives up early and retries. */
const LOCK_TIMEOUT_MS = 500
const LOCK_PAUSE_MS = 1000
const LOCK_WAIT_LIMIT_MS = 10 * 60_000
const LOCK_NOT_AVAILABLE_CODE = '55P03'

/**
 * Migrates the database of DATABASE_URL to this release.
 * @returns the exit code
 */
export const run: CommandRunner = async (overrides) => {
  const config = parseConfig('migrate', process.env, overrides)
  return migrateDatabase(config, createProcessLogger(config.LOG_LEVEL, 'migrate'))
}

/**
 * Applies migrations under an advisory lock, then compares the schema with the one that this release expects.
 * @param options compare: false if only some of the migrations are applied
 * @returns the exit code
 */
export async function migrateDatabase(
  config: Config,
  log: Logger,
  toApply = migrations,
  { compare = true } = {},
): Promise<number> {
  const client = await connectWithRetry(config.DATABASE_URL!, config.DATABASE_WAIT_SECONDS, log)
  if (!client) return 1
  const db = createDataSource(config.DATABASE_URL!, {
    poolSize: 1,
    migrations: toApply.map(withTimeLimits),
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  })
  try {
    await acquireMigrationLock(client)
    await db.initialize()
    if (!(await checkCaseFolding(poolOf(db), log))) return 1
    const applied = await applyMigrations(db, log)
    if (compare && !(await isSchemaCompatible(db, toApply, log))) {
      log.error({ applied }, 'the schema does not fit this release, which would fail or return wrong data')
      return 1
    }
    log.info({ applied }, 'the schema is up to date')
    await warnAboutMissingIndex(db, log)
    return 0
  } catch (error) {
    log.error({ code: (error as { code?: string }).code, reason: (error as Error).message }, 'the migration failed')
    return 1
  } finally {
    if (db.isInitialized) await db.destroy()
    await client.query('COMMIT').catch(() => undefined) // A lost connection has no lock, so an error here does no harm.
    await client.end()
  }
}

/** Keeps the advisory lock in an open transaction. A pooler could pass a session lock to another client. */
async function acquireMigrationLock(client: pg.Client): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0`)
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK_KEYS.migrate])
}

/** Sets the time limits inside the transaction of the migration, because a pooler can drop the settings of a connection. */
function withTimeLimits(migration: (typeof migrations)[number]): (typeof migrations)[number] {
  class LimitedMigration extends migration {
    override async up(runner: QueryRunner): Promise<void> {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = 0`)
      await super.up(runner)
    }
  }
  return Object.defineProperty(LimitedMigration, 'name', { value: migration.name })
}

const LOCALE_ADVICE = `create it with a UTF-8 locale: CREATE DATABASE calls ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8' TEMPLATE template0`

/** With the locale C, Postgres folds the case of ASCII letters only. An empty database is rejected; a used one gets a warning. */
async function checkCaseFolding(sql: Sql, log: Logger): Promise<boolean> {
  const { rows } = await sql.query<{ folds: boolean; locale: string; used: boolean }>({
    text: `SELECT lower('Ж') = 'ж' AND 'Ж' ILIKE 'ж' AND to_tsvector('simple', 'Ж') = to_tsvector('simple', 'ж') AS folds,
                  datctype AS locale, to_regclass('people') IS NOT NULL AS used
             FROM pg_database WHERE datname = current_database()`,
  })
  const { folds, locale, used } = rows[0]!
  if (folds) return true
  const isUsed = used && (await hasData(sql))
  const message = 'upper and lower case of Russian letters differ in this database: «звонки» does not find «Звонки»'
  if (!isUsed) log.error({ locale, advice: LOCALE_ADVICE }, message)
  else log.warn({ locale, advice: `backup, then ${LOCALE_ADVICE}, then restore into it` }, message)
  return isUsed
}

async function hasData(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ filled: boolean }>({
    text: 'SELECT EXISTS (SELECT FROM people) OR EXISTS (SELECT FROM recordings) AS filled',
  })
  return rows[0]!.filled
}

async function applyMigrations(db: DataSource, log: Logger): Promise<string[]> {
  const deadline = performance.now() + LOCK_WAIT_LIMIT_MS
  const applied = await retry(() => db.runMigrations(), {
    pauseMs: LOCK_PAUSE_MS,
    shouldRetry(error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE_CODE || performance.now() > deadline) return false
      log.warn('a table that the migration changes is in use; trying again')
      return true
    },
  })
  return applied.map(({ name }) => name)
}

/**
 * Logs schema differences and returns whether this release can run. Every later release keeps its schema compatible with this
 * one.
 */
async function isSchemaCompatible(db: DataSource, known: typeof migrations, log: Logger): Promise<boolean> {
  const sql = poolOf(db)
  const { rows } = await sql.query<{ name: string }>({ text: 'SELECT name FROM schema_migrations ORDER BY id' })
  const later = rows.map(({ name }) => name).filter((name) => !known.some((migration) => migration.name === name))
  if (later.length > 0)
    log.info({ later }, 'a later release has migrated this database; this one runs on its schema too')
  const differences = await compareDatabaseSchema(sql)
  for (const { fatal, ...difference } of differences) {
    if (fatal && later.length === 0) log.error(difference, 'the schema differs')
    else if (later.length === 0) log.warn(difference, 'the schema differs, which does no harm')
    else log.debug(difference, 'the schema differs')
  }
  return later.length > 0 || !differences.some(({ fatal }) => fatal)
}

/** The extension pg_trgm is optional, because the owner of the database can lack the permission to create it. */
async function warnAboutMissingIndex(db: DataSource, log: Logger): Promise<void> {
  const [index] = await db.query<unknown[]>(`SELECT FROM pg_indexes WHERE indexname = 'recordings_phone_part'`)
  if (!index) log.warn('the extension pg_trgm is missing: filters by a part of a manager or a phone read every call')
}

/**
 * Retries until the connection succeeds or the time is up. The log contains every failed attempt, but never the password.
 * @returns undefined if the time is up
 */
async function connectWithRetry(url: string, waitSeconds: number, log: Logger): Promise<pg.Client | undefined> {
  const deadline = performance.now() + waitSeconds * 1000
  const remainingMs = () => Math.max(0, deadline - performance.now())
  const attempt = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: Math.min(5000, Math.max(1000, remainingMs())),
      application_name: 'svc-migrate',
    })
    client.on('error', () => undefined) // If the connection is lost, the next statement fails, so the event needs no handling.
    try {
      await client.connect()
      return client
    } catch (error) {
      const { host, port, database, user } = client
      const { reason, code } = explainDatabaseConnectionError(error as Error)
      log.warn({ host, port, database, user, code, reason }, 'the database cannot be reached')
      await client.end().catch(() => undefined)
      throw error
    }
  }
  try {
    return await retry(attempt, { pauseMs: () => Math.min(1000, remainingMs()), shouldRetry: () => remainingMs() > 0 })
  } catch {
    log.error({ waitedSeconds: waitSeconds }, 'gave up waiting for the database')
    return undefined
  }
}
