import dns from 'node:dns'
import { readdirSync, readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import pg from 'pg'
import { pino } from 'pino'
import { migrations } from '../../../migrations/index.ts'
import { parseConfig } from '../../platform/config/config.ts'
import { createDataSource } from '../../platform/db/db.ts'
import { findFreePort } from '../embedded/index.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { TestTcpProxy } from '../../test/tcp-proxy.ts'
import { createDatabaseFromTemplate } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { migrateDatabase } from './migrate.ts'

const PASSWORD = 'canary-of-the-password'

describe('command migrate', () => {
  const removals: (() => Promise<void>)[] = []
  const empty = async (template = 'template0') => {
    const database = await createDatabaseFromTemplate(template)
    removals.push(() => database.drop())
    return database.url
  }
  after(() => Promise.all(removals.map((remove) => remove())))

  /**
   * Runs the command in this process.
   * @returns the exit code and the lines of the log
   */
  async function runMigrate(DATABASE_URL: string, DATABASE_WAIT_SECONDS = 20, toApply = migrations) {
    const lines: Record<string, unknown>[] = []
    const log = pino(
      new Writable({
        write(line: Buffer, _, done) {
          lines.push(JSON.parse(line.toString()))
          done()
        },
      }),
    )
    const config = parseConfig('migrate', {}, { DATABASE_URL, DATABASE_WAIT_SECONDS })
    const code = await migrateDatabase(config, log, toApply)
    return { code, lines, applied: lines.find(({ applied }) => applied)?.applied as string[] | undefined }
  }

  it('the bundle has each migration under its class name', async () => {
    const written = readdirSync('migrations')
      .filter((name) => /^\d{13}-.*\.ts$/.test(name))
      .map((name) => /export class (\w+)/.exec(readFileSync(`migrations/${name}`, 'utf8'))![1])
    const client = new pg.Client({ connectionString: await empty('svc_template') })
    await client.connect()
    const { rows } = await client.query('SELECT name FROM schema_migrations')
    await client.end()
    expect(rows.map(({ name }) => name)).to.have.members(written)
    expect(written).to.have.length(migrations.length)
  })

  it('migrate creates the current schema in an empty database; a second run applies nothing', async () => {
    const url = await empty()
    const process = new ServiceProcess('migrate', {}, { DATABASE_URL: url })
    expect(await process.waitForExit()).to.deep.equal({ code: 0, signal: null })
    expect(process.lines.at(-1)).to.deep.include({ applied: migrations.map(({ name }) => name) })
    expect(await runMigrate(url))
      .to.include({ code: 0 })
      .and.to.deep.include({ applied: [] })
  })

  it('migrate works without permission to create pg_trgm, and warns', async () => {
    const url = await empty()
    await queryRows(url, `CREATE ROLE plain LOGIN PASSWORD 'plain'`)
    try {
      await queryRows(url, 'GRANT CREATE ON SCHEMA public TO plain')
      const plain = new URL(url)
      plain.username = plain.password = 'plain'
      const { code, lines } = await runMigrate(plain.href)
      expect(code).to.equal(0)
      expect(lines.at(-1)!.msg).to.match(/pg_trgm is missing/)
      expect(await queryRows(url, 'SELECT FROM transcripts')).to.deep.equal([])
    } finally {
      await queryRows(url, 'DROP OWNED BY plain CASCADE')
      await queryRows(url, 'DROP ROLE plain')
    }
  })

  it('migrate rejects an empty database that does not fold the case of Russian letters', async () => {
    const url = await empty(`template0 LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'`)
    const { code, lines } = await runMigrate(url)
    expect(code).to.equal(1)
    expect(lines.at(-1)).to.include({ level: 50, locale: 'C' })
    expect(lines.at(-1)!.advice).to.include('LC_CTYPE')
    expect(await queryRows(url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).to.deep.equal([])

    const earlier = await createDataSource(url).initialize()
    await earlier.runMigrations()
    await earlier.destroy()
    expect((await runMigrate(url)).code, 'with a schema and nobody in it').to.equal(1)
    await queryRows(
      url,
      `INSERT INTO people (id, email, name, password_hash, role)
                      VALUES (gen_random_uuid(), 'olga@example.com', 'Olga', '-', 'owner')`,
    )
    const used = await runMigrate(url)
    expect(used.code, 'with data').to.equal(0)
    const warning = used.lines.find(({ locale }) => locale === 'C')
    expect(warning).to.include({ level: 40 })
    expect(warning!.advice).to.include('backup')
  })

  it('of ten concurrent runs of migrate, one applies the migrations and all succeed', async () => {
    const url = await empty()
    const runs = await Promise.all(Array.from({ length: 10 }, () => runMigrate(url)))
    expect(runs.map(({ code }) => code)).to.deep.equal(Array.from({ length: 10 }, () => 0))
    expect(runs.filter(({ applied }) => applied!.length > 0)).to.have.length(1)
  })

  it('migrate waits for a database that is not there yet', async () => {
    const url = await empty()
    const proxy = await new TestTcpProxy(url).open()
    await proxy.disconnect()
    const running = runMigrate(proxy.rewriteUrl(url))
    let ended = false
    void running.then(() => (ended = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).to.equal(false)
    await proxy.open()
    const { code, lines } = await running
    await proxy.disconnect()
    expect(code).to.equal(0)
    expect(lines[0]).to.include({ code: 'ECONNREFUSED' })
  })

  describe('end of DATABASE_WAIT_SECONDS', () => {
    const server = () => new URL(process.env.TEST_DATABASE_URL!)
    const silent = net.createServer()
    const lookup = dns.lookup
    before(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)))
    after(() => void silent.close())
    afterEach(() => void (dns.lookup = lookup))

    const cases: { code: string; reason: RegExp; url: () => Promise<string> | string }[] = [
      {
        code: 'ENOTFOUND',
        reason: /host name does not resolve/,
        url() {
          dns.lookup = ((name: string, _: unknown, done: (error: Error) => void) => {
            const code = 'ENOTFOUND'
            setImmediate(() => done(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code })))
          }) as unknown as typeof dns.lookup
          return `postgres://svc:${PASSWORD}@wrong-host:5432/calls`
        },
      },
      {
        code: 'ECONNREFUSED',
        reason: /nothing listens/,
        url: async () => `postgres://svc:${PASSWORD}@127.0.0.1:${await findFreePort()}/calls`,
      },
      {
        code: 'ETIMEDOUT',
        reason: /no answer/,
        url: () => `postgres://svc:${PASSWORD}@127.0.0.1:${(silent.address() as AddressInfo).port}/calls`,
      },
      {
        code: '28P01',
        reason: /wrong user or password/,
        url() {
          const url = server()
          url.password = PASSWORD
          return url.href
        },
      },
      {
        code: '3D000',
        reason: /does not exist/,
        url() {
          const url = server()
          url.pathname = '/no_such_database'
          return url.href
        },
      },
    ]
    for (const { code, reason, url } of cases) {
      it(`migrate exits with 1 after DATABASE_WAIT_SECONDS and names the reason: ${code}`, async () => {
        const address = new URL(await url())
        const startedAt = performance.now()
        const ended = await runMigrate(address.href, 1)
        expect(ended.code).to.equal(1)
        expect(performance.now() - startedAt).to.be.at.least(900)
        // On a busy machine, an attempt can time out instead.
        const tries = ended.lines.slice(0, -1).filter((line) => line.code === code || line.code !== 'ETIMEDOUT')
        expect(tries.length, 'attempts').to.be.greaterThan(0)
        for (const line of tries) {
          expect(line).to.include({ code, host: address.hostname, port: Number(address.port || 5432) })
          expect(line).to.include({ database: address.pathname.slice(1), user: address.username })
          expect(line.reason).to.match(reason)
        }
        expect(ended.lines.at(-1)!.msg).to.match(/gave up/)
        expect(JSON.stringify(ended.lines)).not.to.include(decodeURIComponent(address.password))
      })
    }
  })

  it('migrate without a connection exits with 1 and shows no password', async () => {
    const DATABASE_URL = `postgres://svc:${PASSWORD}@127.0.0.1:${await findFreePort()}/calls`
    const process = new ServiceProcess('migrate', {}, { DATABASE_URL, DATABASE_WAIT_SECONDS: '0' })
    expect(await process.waitForExit()).to.deep.equal({ code: 1, signal: null })
    // Lines can arrive out of order: the last line is flushed while the line before it is still in the pipe.
    const attempt = process.lines.find(({ msg }) => msg === 'the database cannot be reached')
    expect(attempt).to.include({ code: 'ECONNREFUSED', user: 'svc', database: 'calls' })
    expect(JSON.stringify(process.lines) + process.text).not.to.include(PASSWORD)
  })

  it('a failed migration is rolled back and logged, and migrate exits with 1', async () => {
    const url = await empty('svc_template')
    class Broken2000000000000 {
      async up(runner: { query(sql: string): Promise<unknown> }) {
        await runner.query('CREATE TABLE half (id int)')
        await runner.query('SELECT no_such_function()')
      }
      async down() {}
    }
    const { code, lines } = await runMigrate(url, 1, [...migrations, Broken2000000000000] as typeof migrations)
    expect(code).to.equal(1)
    expect(lines.at(-1)).to.include({ code: '42883' })
    expect(await queryRows(url, `SELECT to_regclass('half') AS half`)).to.deep.equal([{ half: null }])
  })

  it('reads continue while migrate waits for a locked table', async () => {
    const url = await empty('svc_template')
    class AddsColumn2000000000001 {
      async up(runner: { query(sql: string): Promise<unknown> }) {
        await runner.query('ALTER TABLE recordings ADD COLUMN added int')
      }
      async down() {}
    }
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM recordings')
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    const running = runMigrate(url, 1, [...migrations, AddsColumn2000000000001] as typeof migrations)
    let ended: Awaited<typeof running> | undefined
    void running.then((result) => (ended = result))
    // The migration must release its place in the lock queue, otherwise the reader's statement below would never end.
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'recordings'::regclass
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    const isWaiting = async () => (await reader.query(waiting)).rowCount === 1
    for (const turn of ['once', 'again']) {
      await waitUntil(`it waits for its lock ${turn}`, isWaiting)
      await reader.query('SELECT count(*) FROM recordings')
      await waitUntil(`it has given up ${turn}`, async () => !(await isWaiting()))
    }
    expect(ended, 'it tries on').to.equal(undefined)
    await blocker.query('COMMIT')
    expect(await running)
      .to.include({ code: 0 })
      .and.to.deep.include({ applied: ['AddsColumn2000000000001'] })
    expect(ended!.lines[0]!.msg).to.match(/in use; trying again/)
    await Promise.all([blocker.end(), reader.end()])
  })
})

async function queryRows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
