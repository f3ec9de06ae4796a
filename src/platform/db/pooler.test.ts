import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import pg from 'pg'
import { pino } from 'pino'
import { migrations } from '../../../migrations/index.ts'
import { migrateDatabase } from '../../app/commands/migrate.ts'
import { parseConfig } from '../config/config.ts'
import { DATABASE_STATEMENT_LIMIT_MS } from '../../app/core.ts'
import { connectDatabase, poolOf, listMissingSessionSettings } from './db.ts'
import { TestPgBouncer, pgbouncerPath, type PgBouncerPoolMode } from '../../test/pgbouncer.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { createDatabaseFromTemplate, OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/**
 * In transaction mode, few server connections make the statements of one client use several sessions. In session mode, each
 * client needs its own.
 */
const POOL_MODES: [PgBouncerPoolMode, { default_pool_size: number }][] = [
  ['transaction', { default_pool_size: 6 }],
  ['session', { default_pool_size: 60 }],
]

for (const [mode, size] of POOL_MODES) {
  describe(`PgBouncer with ${mode} pooling`, () => {
    if (!pgbouncerPath) {
      it.skip('needs PgBouncer: install the package pgbouncer')
      return
    }
    const bouncer = new TestPgBouncer()
    const recognizer = new ScriptedRecognizer()
    let app: TestApp
    let direct: string

    before(async () => {
      await recognizer.start()
      recognizer.answer = (recognition) => recognition.finish(`heard ${recognition.audio.toString()}`)
      app = await startTestApp({ asrUrl: recognizer.url, TRANSCRIPTION_CONCURRENCY: 4, ASR_MAX_CONCURRENCY: 4 })
      direct = app.config.DATABASE_URL!
      await bouncer.start(direct, { pool_mode: mode, ...size })
      await app.restart({ DATABASE_URL: bouncer.rewriteUrl(direct) })
    })
    after(async () => {
      await app?.stop()
      await bouncer.stop()
      await recognizer.stop()
    })

    it('the service works behind PgBouncer from upload to export', async () => {
      const names = Array.from({ length: 20 }, (_, n) => `call ${n}`)
      const taken = await Promise.all(names.map((name) => app.ida.upload(name, { managerName: `Анна ${name}` })))
      expect(taken.map(({ status, text }) => (status === 201 ? 201 : text))).to.deep.equal(names.map(() => 201))
      await waitUntil('all calls are DONE', async () => {
        const { rows } = await app.db.query(`SELECT count(*)::int AS n FROM recordings WHERE status = 'DONE'`)
        return rows[0].n === names.length
      })
      // Send as many requests at once as the API has connections, so that they use several sessions of the server.
      const paths = ['/v1/recordings?pageSize=100', '/v1/recordings/facets', '/v1/transcripts', '/v1/queues']
      const answers = await Promise.all([...paths, ...paths, ...paths, ...paths].map((path) => app.olga.get(path)))
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
      expect(answers[0]!.json.total).to.equal(names.length)
      const read = await Promise.all(taken.map(({ json }) => app.ida.get(`/v1/recordings/${json.id}`)))
      expect(read.map(({ json }) => json.transcript.text)).to.deep.equal(names.map((name) => `heard ${name}`))

      const exports = ['csv', 'csv', 'csv', 'csv'].map((format) =>
        app.olga.get(`/v1/transcripts/export?format=${format}`),
      )
      for (const { status, text } of await Promise.all(exports)) {
        expect(status).to.equal(200)
        expect(names.filter((name) => !text.includes(`heard ${name}`))).to.deep.equal([])
      }
      const logins = await Promise.all(
        Array.from({ length: 4 }, () => app.nobody.post('/v1/auth/login', OWNER_CREDENTIALS)),
      )
      expect(logins.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    })

    it('five parallel migrations apply each migration once and leave no lock', async () => {
      const empty = await createDatabaseFromTemplate('template0')
      try {
        const url = bouncer.rewriteUrl(empty.url)
        const runs = await Promise.all(Array.from({ length: 5 }, () => runMigrate(url)))
        expect(runs.map(({ code }) => code)).to.deep.equal([0, 0, 0, 0, 0])
        expect(runs.filter(({ applied }) => applied.length > 0).map(({ applied }) => applied)).to.deep.equal([
          migrations.map(({ name }) => name),
        ])
        expect(
          await runQuery(
            direct,
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7361000 AND database =
                                 (SELECT oid FROM pg_database WHERE datname = '${new URL(empty.url).pathname.slice(1)}')`,
          ),
        ).to.deep.equal([])
      } finally {
        await empty.drop()
      }
    })

    it('a migration retries instead of waiting long for a table in use', async () => {
      const empty = await createDatabaseFromTemplate('template0')
      const holder = new pg.Client({ connectionString: empty.url })
      holder.on('error', () => undefined)
      try {
        const url = bouncer.rewriteUrl(empty.url)
        const [last] = migrations.slice(-1)
        expect((await runMigrate(url, migrations.slice(0, -1))).code).to.equal(0)
        class Alters {
          async up(runner: { query(text: string): Promise<unknown> }) {
            await runner.query('ALTER TABLE recordings ALTER COLUMN file_name SET STATISTICS 100')
          }
          async down() {}
        }
        Object.defineProperty(Alters, 'name', { value: last!.name })
        await holder.connect()
        await holder.query('BEGIN; LOCK TABLE recordings IN ACCESS SHARE MODE; LOCK TABLE recordings IN SHARE MODE')
        const lines: string[] = []
        const migrating = runMigrate(url, [...migrations.slice(0, -1), Alters], lines)
        await waitUntil('it gave way', () => lines.some((line) => line.includes('in use; trying again')))
        await holder.query('COMMIT')
        expect((await migrating).code).to.equal(0)
      } finally {
        await holder.end()
        await empty.drop()
      }
    })
  })
}

describe('session settings behind PgBouncer', () => {
  it('missing session settings are listed as the documented statements until they are set', async function () {
    if (!pgbouncerPath) this.skip()
    const database = await createDatabaseFromTemplate()
    const direct = database.url
    const bouncer = await new TestPgBouncer().start(direct, { pool_mode: 'transaction' })
    try {
      const { pathname, username } = new URL(direct)
      const output = await loadMissingSettings(bouncer.rewriteUrl(direct))
      const documented = readFileSync('docs/deployment.md', 'utf8').match(/ALTER ROLE calls SET .*(?=;)/g)
      expect(output).to.have.members(documented!.map((line) => line.replace(' calls ', ` ${username} `)))
      expect(output).to.include(`ALTER ROLE ${username} SET statement_timeout = '30s'`)
      // Set it only for this database, because other tests use the same role.
      for (const line of output)
        await runQuery(direct, line.replace(' SET ', ` IN DATABASE "${pathname.slice(1)}" SET `))
      await bouncer.stop()
      await bouncer.start(direct, { pool_mode: 'transaction' })
      expect(await loadMissingSettings(bouncer.rewriteUrl(direct)), 'new sessions of the server').to.deep.equal([])
      expect(await loadMissingSettings(direct), 'without a pooler').to.deep.equal([])
    } finally {
      await bouncer.stop()
      await database.drop()
    }
  })
})

describe('PgBouncer that rejects the start-up parameter options', () => {
  it('the connection error names ignore_startup_parameters of PgBouncer', async function () {
    if (!pgbouncerPath) this.skip()
    const database = await createDatabaseFromTemplate()
    const bouncer = await new TestPgBouncer().start(database.url, { ignore_startup_parameters: 'extra_float_digits' })
    try {
      const error = await connectDatabase(bouncer.rewriteUrl(database.url), {}).catch((reason: Error) => reason)
      expect(error).to.be.an('error').with.property('message').that.includes('ignore_startup_parameters')
    } finally {
      await bouncer.stop()
      await database.drop()
    }
  })
})

/** Runs `migrate` and returns its exit code and the applied migrations. */
async function runMigrate(url: string, toApply: typeof migrations = migrations, lines: string[] = []) {
  const log = pino(
    new Writable({
      write(line: Buffer, _, done) {
        lines.push(line.toString())
        done()
      },
    }),
  )
  const config = parseConfig('migrate', {}, { DATABASE_URL: url })
  const code = await migrateDatabase(config, log, toApply, { compare: toApply === migrations })
  const output = lines.map((line) => JSON.parse(line) as { applied?: string[] }).find(({ applied }) => applied)
  return { code, applied: output?.applied ?? [] }
}

/** Connects with this URL and returns the statements for missing session settings. */
async function loadMissingSettings(url: string): Promise<string[]> {
  const db = await connectDatabase(url, { statementTimeoutMs: DATABASE_STATEMENT_LIMIT_MS })
  try {
    return await listMissingSessionSettings(poolOf(db), DATABASE_STATEMENT_LIMIT_MS)
  } finally {
    await db.destroy()
  }
}

async function runQuery(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
