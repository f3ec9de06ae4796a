import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { pino } from 'pino'
import { Writable } from 'node:stream'
import expected from '../../../migrations/schema.json' with { type: 'json' }
import { loadDatabaseSchema } from '../../platform/db/schema-comparison.ts'
import { generateSecret, sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { TestClient, UncheckedTestClient } from '../../test/client.ts'
import { buildLastRelease, hasReleaseHistory } from '../../test/old-releases.ts'
import { ServiceProcess, type ProcessLogLine } from '../../test/service-process.ts'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { createDatabaseFromTemplate, makeTestConfig } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { migrateDatabase } from './migrate.ts'

const RENEW_ADVICE = 'run npm run schema and commit what it writes'

describe('upgrades', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
  const removals: (() => Promise<void>)[] = []
  after(async () => {
    for (const remove of removals.toReversed()) await remove()
    rmSync(folder, { recursive: true, force: true })
  })
  /** Creates a separate database, copied from a template or empty. */
  async function createTestDatabase(template = 'template0'): Promise<{ url: string; sql: pg.Pool }> {
    const made = await createDatabaseFromTemplate(template)
    const { url } = made
    const sql = new pg.Pool({ connectionString: url, max: 2 })
    sql.on('error', () => undefined)
    removals.push(
      () => made.drop(),
      () => sql.end(),
    )
    return { url, sql }
  }
  async function runMigrate(url: string) {
    const lines: ProcessLogLine[] = []
    const write = (line: Buffer, _: string, done: () => void) => (lines.push(JSON.parse(String(line))), done())
    const code = await migrateDatabase(makeTestConfig(url, folder, {}), pino(new Writable({ write })))
    return { code, lines, told: lines.map(({ msg }) => msg) }
  }

  it(`landed migrations match their checksums (for new ones: ${RENEW_ADVICE})`, () => {
    const files = readdirSync('migrations').filter((name) => /^\d/.test(name))
    const checksums = files.map((name) => [name, hashSha256(readFileSync(join('migrations', name)))])
    expect(Object.fromEntries(checksums)).to.deep.equal(
      JSON.parse(readFileSync('migrations/checksums.json', 'utf8')),
      RENEW_ADVICE,
    )
  })

  it('migrations/schema.json equals the schema that the migrations create', async () => {
    const { sql } = await createTestDatabase('svc_template')
    expect(await loadDatabaseSchema(sql)).to.deep.equal(expected, RENEW_ADVICE)
  })

  describe('comparison with the expected schema', () => {
    /** A change of the schema, the name in the log, and whether this release cannot run with the change. */
    const changes: [sql: string, named: string, fatal: boolean][] = [
      ['ALTER TABLE deliveries DROP COLUMN last_error', 'column deliveries.last_error', true],
      ['ALTER TABLE recordings ALTER COLUMN priority TYPE bigint', 'column recordings.priority', true],
      ['ALTER TABLE people ALTER COLUMN name DROP NOT NULL', 'column people.name', true],
      ['ALTER TABLE people ALTER COLUMN active DROP DEFAULT', 'default of people.active', true],
      ['ALTER TABLE people ADD COLUMN shoe text NOT NULL', 'column people.shoe', true],
      [`ALTER TABLE people ADD COLUMN shoe text NOT NULL DEFAULT ''`, 'column people.shoe', false],
      ['DROP TABLE waveforms', 'table waveforms', true],
      ['CREATE TABLE added (id int)', 'table added', false],
      ['DROP INDEX recordings_external_call_id', 'unique index recordings_external_call_id', true],
      ['DROP INDEX audit_listing', 'index audit_listing', false],
      ['DROP INDEX audit_listing; CREATE INDEX audit_listing ON audit (id, at)', 'index audit_listing', false],
      [
        'ALTER TABLE recording_counts DROP CONSTRAINT recording_counts_kind_check',
        'constraint recording_counts.recording_counts_kind_check',
        true,
      ],
      ['DROP TRIGGER recordings_counts ON recordings', 'trigger recordings.recordings_counts', true],
      ['ALTER TABLE audit DISABLE TRIGGER audit_is_kept', 'trigger audit.audit_is_kept', true],
      [
        `CREATE OR REPLACE FUNCTION add_up_recording_counts() RETURNS void LANGUAGE plpgsql AS 'BEGIN END'`,
        'function add_up_recording_counts()',
        true,
      ],
      ['ALTER TEXT SEARCH CONFIGURATION svc_search ALTER MAPPING FOR word WITH simple', 'text search svc_search', true],
    ]
    for (const [change, named, fatal] of changes) {
      it(`migrate reports ${fatal ? 'an error' : 'a warning'} after ${change}`, async () => {
        const { url, sql } = await createTestDatabase('svc_template')
        await sql.query(change)
        const { code, lines, told } = await runMigrate(url)
        const line = lines.find(({ of }) => of === named)
        expect(line?.level, `level of the line about ${named}\n${told.join('\n')}`).to.equal(fatal ? 50 : 40)
        expect(line!.msg).to.match(/^the schema differs/)
        expect(code).to.equal(fatal ? 1 : 0)
        expect(told.includes('the schema is up to date')).to.equal(!fatal)
      })
    }

    it('migrate reports no difference if a later release has migrated the database', async () => {
      const { url, sql } = await createTestDatabase('svc_template')
      await sql.query(`INSERT INTO schema_migrations (timestamp, name) VALUES (2000000000000, 'Later2000000000000');
        DROP INDEX recordings_external_call_id; ALTER TABLE people ADD COLUMN shoe text NOT NULL`)
      const { code, lines } = await runMigrate(url)
      expect(code).to.equal(0)
      expect(lines[0]).to.deep.include({ later: ['Later2000000000000'] })
      expect(lines.filter(({ level }) => Number(level) > 30)).to.deep.equal([])
    })
  })

  describe('upgrades and rollbacks between the last release and this one', () => {
    if (!hasReleaseHistory()) {
      it.skip('needs the history of the repository: this is a shallow clone or a copy without it')
      return
    }
    const recognizer = new ScriptedRecognizer()
    const receiver = new CallbackReceiver()
    before(async () => {
      await Promise.all([recognizer.start(), receiver.start()])
      recognizer.answer = (recognition) => recognition.finish('Клиент спросил про договор')
    })
    after(() => Promise.all([recognizer.stop(), receiver.stop()]))

    it('calls of both releases are done, delivered and found after upgrades and rollbacks', async () => {
      const { url, sql } = await createTestDatabase()
      const release = await buildLastRelease()
      const config = makeTestConfig(url, join(folder, 'releases'), {
        asrUrl: recognizer.url,
        ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
        LOG_LEVEL: 'info',
      })
      const migrated = async (bundle?: string) => {
        const process = new ServiceProcess('migrate', config, {}, [], bundle)
        expect(await process.waitForExit(), formatTail(process)).to.deep.include({ code: 0 })
      }
      const serve = async (bundle: string | undefined, work: (ida: TestClient) => Promise<void>) => {
        const process = new ServiceProcess('api', config, {}, [], bundle)
        try {
          const port = await process.waitUntilReady()
          const Kind = bundle ? UncheckedTestClient : TestClient
          await work(new Kind(() => `http://127.0.0.1:${port}`, { 'X-API-Key': key }))
        } catch (error) {
          throw new Error(formatTail(process), { cause: error })
        } finally {
          await process.stop()
        }
      }
      const key = `svc_${generateSecret()}`
      const callDone = (ida: TestClient) => processOneCall(ida, sql, receiver, config.audioDir)
      const everythingFound = async (ida: TestClient, total: number) => {
        expect((await ida.get('/v1/recordings')).json, 'list').to.include({ total })
        expect((await ida.get('/v1/recordings?status=DONE&pageSize=1')).json, 'filter').to.include({ total })
        expect((await ida.get('/v1/transcripts?q=договоры')).json, 'search').to.include({ total })
        expect((await ida.get('/v1/recordings/facets')).json, 'facets').to.include({ total })
      }

      /** Waits until the workers have indexed all transcripts, then searches for word forms that the last release did not find. */
      const reindexed = async (ida: TestClient, total: number) => {
        await waitUntil('every text has its terms', async () => (await sql.query(WITHOUT_TERMS_SQL)).rowCount === 0)
        expect((await ida.get('/v1/transcripts?q=спрошу')).json, 'forms').to.include({ total })
        expect((await ida.get('/v1/system')).json.search).to.equal(null)
      }

      await migrated(release)
      await sql.query('INSERT INTO api_keys (id, name, prefix, key_hash) VALUES ($1, $2, $3, $4)', [
        generateId(),
        'Ida',
        key.slice(0, 10),
        sha256(key),
      ])
      await serve(release, callDone)
      await migrated()
      expect(await loadDatabaseSchema(sql)).to.deep.equal(expected)
      await serve(undefined, async (ida) => {
        await everythingFound(ida, 1)
        await reindexed(ida, 1)
        await callDone(ida)
        await everythingFound(ida, 2)
      })
      await migrated(release)
      await serve(release, async (ida) => {
        await callDone(ida)
        expect((await ida.get('/v1/transcripts?q=договоры')).json, 'search after a rollback').to.include({ total: 3 })
        await sql.query(`UPDATE transcripts SET text = 'Клиент спросил про договор и счёт' WHERE recording_id = $1`, [
          (await ida.get('/v1/recordings?pageSize=1&page=3')).json.items[0].id,
        ])
        expect((await sql.query(WITHOUT_TERMS_SQL)).rowCount, 'stored or changed by that release').to.equal(2)
      })
      await migrated()
      expect(await loadDatabaseSchema(sql)).to.deep.equal(expected)
      await serve(undefined, async (ida) => {
        await everythingFound(ida, 3)
        await reindexed(ida, 3)
        expect((await ida.get('/v1/transcripts?q=счета')).json, 'the changed text').to.include({ total: 1 })
      })
      const { rows } = await sql.query(CALLS_BY_MANAGER_SQL)
      expect(rows, 'the calls of each release are their manager’s').to.deep.equal([{ name: 'Анна Ковалёва', n: 3 }])
    })
  })
})

const hashSha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

const formatTail = ({ lines, text }: ServiceProcess) =>
  [...lines.slice(-12).map((line) => JSON.stringify(line)), text].join('\n')

const WITHOUT_TERMS_SQL = 'SELECT FROM transcripts WHERE search_terms IS NULL'

const CALLS_BY_MANAGER_SQL = `SELECT m.name, count(*)::int AS n FROM recordings r LEFT JOIN managers m ON m.id = r.manager_id GROUP BY 1`

/**
 * Queues a call for the running release, and waits until it is DONE and its callback delivered.
 * The audio is an object of the storage, because the upload parser of the last release can be missing.
 */
async function processOneCall(
  ida: TestClient,
  sql: pg.Pool,
  receiver: CallbackReceiver,
  audioDir: string,
): Promise<void> {
  const { rows } = await sql.query('SELECT FROM recordings')
  const managerName = rows.length === 0 ? 'Анна Ковалёва' : 'АННА КОВАЛЁВА'
  const storageKey = generateId()
  const path = `/${storageKey}`
  mkdirSync(audioDir, { recursive: true })
  writeFileSync(join(audioDir, storageKey), 'audio')
  const { status, json, text } = await ida.post('/v1/recordings/from-storage', {
    storageKey,
    managerName,
    callbackUrl: `${receiver.url}${path}`,
  })
  expect(status, text).to.equal(201)
  await receiver.waitForCallback(path)
  await waitUntil('the delivery is recorded', async () => {
    const { rowCount } = await sql.query(
      `SELECT FROM recordings r JOIN deliveries d ON d.recording_id = r.id
        WHERE r.id = $1 AND r.status = 'DONE' AND d.status = 'DELIVERED'`,
      [json.id],
    )
    return rowCount === 1
  })
}
