import type { Sql } from './sql.ts'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openAppCore } from '../../app/core.ts'
import {
  connectDatabase,
  createDataSource,
  createDedicatedDatabaseClient,
  isDatabaseDown,
  poolOf,
  retryDeadlocks,
  runInTransaction,
} from './db.ts'
import { createLogger } from '../lib/log.ts'
import { createTestDatabase, type TestDatabase } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/** The messages to a connection that Postgres terminates at once: AuthenticationOk, ReadyForQuery and an error. */
const TERMINATED_LOGIN = Buffer.concat([
  formatServerMessage('R', '\0\0\0\0'),
  formatServerMessage('Z', 'I'),
  formatServerMessage('E', 'SFATAL\0C57P01\0Mterminating connection\0\0'),
])

function formatServerMessage(type: string, content: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)])
}

describe('database connections', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.remove())

  const setting = async (sql: Sql, name: string) => {
    const { rows } = await sql.query<{ value: string }>({
      text: 'SELECT current_setting($1) AS value',
      values: [name],
    })
    return rows[0]!.value
  }
  const limit = (sql: Sql) => setting(sql, 'statement_timeout')

  it('a new connection that Postgres ends at once fails the transaction, not the process', async () => {
    const db = await connectDatabase(database.config.DATABASE_URL!, {})
    const usable = await poolOf(db).connect()
    const server = createServer((socket) => socket.once('data', () => socket.end(TERMINATED_LOGIN)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    Object.assign(poolOf(db).options, { connectionString: `postgres://svc@127.0.0.1:${port}/svc` })
    const error = await runInTransaction(db, async () => undefined).catch((reason: unknown) => reason)
    expect(isDatabaseDown(error), String(error)).to.equal(true)
    usable.release()
    await db.destroy()
    server.close()
  })

  it('retryDeadlocks() completes two transactions that wait for each other', async () => {
    const db = await connectDatabase(database.config.DATABASE_URL!, {})
    let waiting = 0
    const lockBoth = (first: number, second: number) => async (sql: Sql) => {
      await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [first] })
      waiting++
      await waitUntil('both hold their first lock', () => waiting >= 2)
      await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [second] })
      return second
    }
    try {
      const run = (work: (sql: Sql) => Promise<number>) => retryDeadlocks(() => runInTransaction(db, work))
      expect(await Promise.all([run(lockBoth(1, 2)), run(lockBoth(2, 1))])).to.deep.equal([2, 1])
      expect(waiting, 'one was begun again').to.equal(3)
    } finally {
      await db.destroy()
    }
  })

  it('the statement timeout applies to the API, not to exports and migrations', async () => {
    const db = await connectDatabase(database.config.DATABASE_URL!, { statementTimeoutMs: 2000 })
    const plain = await createDataSource(database.config.DATABASE_URL!).initialize()
    const dedicated = createDedicatedDatabaseClient(db)
    await dedicated.connect()
    try {
      expect([await limit(poolOf(db)), await limit(poolOf(plain)), await limit(dedicated)]).to.deep.equal([
        '2s',
        '0',
        '0',
      ])
      const slow = await poolOf(db)
        .query({ text: 'SELECT pg_sleep(60)' })
        .catch((error: Error) => error)
      expect(slow).to.include({ code: '57014' })
    } finally {
      await dedicated.end()
      await Promise.all([db.destroy(), plain.destroy()])
    }
  })

  it('API connections have a statement timeout of 30 s and check clients every 10 s', async () => {
    const { core, close } = await openAppCore(database.config, createLogger('silent', 'test'))
    try {
      expect([await limit(core.pool), await setting(core.pool, 'client_connection_check_interval')]).to.deep.equal([
        '30s',
        '10s',
      ])
    } finally {
      await close()
    }
  })

  it('Postgres ends a statement after its client has disconnected', async () => {
    const db = await createDataSource(database.config.DATABASE_URL!).initialize()
    const client = createDedicatedDatabaseClient(db)
    client.on('error', () => undefined)
    await client.connect()
    client.query(`SELECT 'left alone', pg_sleep(600)`).catch(() => undefined)
    const isRunning = async () => {
      const { rows } = await poolOf(db).query<{ n: number }>({
        text: `SELECT count(*)::integer AS n FROM pg_stat_activity
                WHERE query LIKE '%left alone%' AND state = 'active' AND pid <> pg_backend_pid()`,
      })
      return rows[0]!.n > 0
    }
    try {
      await waitUntil('the statement runs', isRunning)
      ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
      await waitUntil('it has ended', async () => !(await isRunning()))
    } finally {
      await db.destroy()
    }
  })

  it('every id that the database generates is a UUIDv7', async () => {
    const { rows: defaults } = await database.db.query(
      `SELECT table_name AS "table", column_default AS "default" FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type = 'uuid' AND column_default IS NOT NULL`,
    )
    expect(defaults.map((row) => row.table)).to.include.members(['managers', 'crm_sync_jobs', 'crm_load_jobs'])
    for (const row of defaults) expect(row.default, row.table).to.equal('new_id()')
    const before = Date.now()
    const { rows } = await database.db.query('SELECT new_id() AS id FROM generate_series(1, 50)')
    const ids = rows.map(({ id }) => id as string)
    expect(new Set(ids).size).to.equal(50)
    for (const id of ids) {
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const ms = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
      expect(ms, 'the database and the test run on one machine').to.be.within(before - 1000, Date.now() + 1000)
    }
    await database.db.query(`SELECT manager_named('Anna by name')`)
    const { rows: made } = await database.db.query(`SELECT id FROM managers WHERE name = 'Anna by name'`)
    expect(made[0].id.charAt(14), 'a manager that a trigger makes').to.equal('7')
  })
})
