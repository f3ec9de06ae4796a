import 'reflect-metadata'
import pg from 'pg'
import { DataSource } from 'typeorm'
import { migrations } from '../migrations/index.ts'
import { ApiKey, Session } from './auth/entity.ts'
import { Delivery, DeliveryAttempt } from './callbacks/entity.ts'
import { Person } from './people/entity.ts'
import { FileRemoval, Recording } from './recordings/entity.ts'
import { Transcript } from './transcripts/entity.ts'

/** Anything that runs SQL: the pool, or one connection inside a transaction. */
export interface Sql {
  query<R extends object>(statement: {
    name?: string
    text: string
    values?: unknown[]
  }): Promise<{ rows: R[]; rowCount: number | null }>
}

/** Makes the DataSource, not yet connected. */
export function createDataSource(url: string, options: { poolSize?: number } = {}): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize: options.poolSize ?? 16,
    entities: [ApiKey, Delivery, DeliveryAttempt, FileRemoval, Person, Recording, Session, Transcript],
    migrations,
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    applicationName: 'svc',
    connectTimeoutMS: 10_000,
    // Counts and searches of one request must not take every core from the others, nor compile first.
    extra: {
      options: '-c max_parallel_workers_per_gather=0 -c jit=off -c random_page_cost=1.1',
      idleTimeoutMillis: 60_000,
    },
  })
}

/**
 * The connection pool under the DataSource, for statements where an entity would only cost time: claims,
 * conditional updates and the reads of every request.
 */
export function pool(db: DataSource): Sql & pg.Pool {
  return (db.driver as unknown as { master: Sql & pg.Pool }).master
}

/** Runs `work` on one connection in one transaction: all of it is stored, or none. */
export async function transaction<T>(db: DataSource, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool(db).connect()
  // A connection that breaks fails the statement; the event of the same would end the process if nobody listened.
  const heard = () => undefined
  client.on('error', heard)
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => (broken = rollbackError))
    throw error
  } finally {
    client.off('error', heard)
    client.release(broken)
  }
}

/** Repeats work that failed only because the database was away for a moment. It must be safe to do twice. */
export async function persistently<T>(work: () => Promise<T>, limitSeconds = 20): Promise<T> {
  const deadline = performance.now() + limitSeconds * 1000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

/** Whether an error says that the database cannot be reached now, and nothing of the statement. */
function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  if (code) return /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|53[0-3]00|57P0\d)$/.test(code)
  return /Connection terminated|not queryable|timeout exceeded when trying to connect/.test(message ?? '')
}

/** The name of the unique index or constraint that an error breaks, or undefined. */
export function brokenUniqueIndex(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string }
  return code === '23505' ? constraint : undefined
}
