import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import type { Config } from '../../platform/config/config.ts'
import { generateSecret, sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { TestClient, UncheckedTestClient } from '../../test/client.ts'
import { buildLastRelease, hasReleaseHistory } from '../../test/old-releases.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import {
  createDatabaseFromTemplate,
  insertQueuedRecordings,
  OWNER_CREDENTIALS,
  makeTestConfig,
} from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const CALL_COUNT = 40
const WATCHED_FILE_COUNT = 6

describe('rolling upgrade with two releases at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-side-by-side-'))
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  const started: ServiceProcess[] = []
  let config: Config
  let sql: pg.Pool
  let database: { url: string; drop(): Promise<void> }
  let bundle: string
  const key = `svc_${generateSecret()}`

  before(async function () {
    if (!hasReleaseHistory()) this.skip() // A shallow clone and a copy without .git lack the history.
    bundle = await buildLastRelease()
    await Promise.all([recognizer.start(), receiver.start()])
    database = await createDatabaseFromTemplate('template0')
    sql = new pg.Pool({ connectionString: database.url, max: 4 })
    sql.on('error', () => undefined)
    config = makeTestConfig(database.url, folder, {
      asrUrl: recognizer.url,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      INGESTION_SOURCE: 'local-inbox',
      LOG_LEVEL: 'info',
    })
    mkdirSync(join(config.audioDir, 'inbox'), { recursive: true })
    // The database starts with the schema of the last release; the new release migrates it while the last one runs.
    await runMigration(bundle)
    await sql.query('INSERT INTO api_keys (id, name, prefix, key_hash) VALUES ($1, $2, $3, $4)', [
      generateId(),
      'Ida',
      key.slice(0, 10),
      sha256(key),
    ])
  })
  afterEach(() => Promise.all(started.splice(0).map((process) => process.stop('SIGKILL'))))
  after(async () => {
    await Promise.all([recognizer.stop(), receiver.stop()])
    await sql?.end()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function runMigration(of?: string): Promise<void> {
    const process = new ServiceProcess('migrate', config, {}, [], of)
    expect(await process.waitForExit(), JSON.stringify(process.lines.slice(-3))).to.deep.include({ code: 0 })
  }
  async function start(of?: string) {
    const process = new ServiceProcess('api', config, {}, [], of)
    started.push(process)
    const port = await process.waitUntilReady()
    const Kind = of ? UncheckedTestClient : TestClient
    const url = () => `http://127.0.0.1:${port}`
    return { process, ida: new Kind(url, { 'X-API-Key': key }), olga: new Kind(url, {}) }
  }
  const query = async (text: string, ...values: unknown[]) => (await sql.query(text, values)).rows
  const statuses = async () =>
    Object.fromEntries(
      (await query('SELECT status, count(*)::int AS n FROM recordings GROUP BY 1')).map(({ status, n }) => [status, n]),
    )
  const done = (n: number) => waitUntil(`${n} are done`, async () => (await statuses()).DONE === n)
  const insert = (count: number) => insertQueuedRecordings({ db: sql, config }, count, receiver.url)
  const cookieOf = async (client: TestClient) => {
    const answer = await client.post('/v1/auth/login', OWNER_CREDENTIALS)
    expect(answer.status).to.equal(200)
    return { Cookie: answer.headers.get('set-cookie')!.split(';')[0]!, 'Sec-Fetch-Site': 'same-origin' }
  }

  it('two releases at once share all work and do each thing once', async () => {
    const old = await start(bundle)
    await runMigration() // The schema changes while the last release runs.
    const today = await start()

    // Each call is claimed by exactly one of the two releases.
    const ids = await insert(CALL_COUNT)
    const slots = 2 * config.TRANSCRIPTION_CONCURRENCY
    await waitUntil('both have taken as many as they may', () => recognizer.pending.length === slots)
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish('Клиент спросил про договор'), 30)
    for (const recognition of recognizer.pending) recognition.finish('Клиент спросил про договор')
    await done(CALL_COUNT)
    expect(recognizer.pending, 'recognitions').to.have.length(CALL_COUNT)
    expect(await query('SELECT FROM transcripts')).to.have.length(CALL_COUNT)
    expect(await query('SELECT FROM recordings WHERE attempts <> 1')).to.deep.equal([])
    const shares = () =>
      [old, today].map(({ process }) => process.lines.filter(({ msg }) => msg === 'transcribed').length)
    await waitUntil('both have told what they did', () => shares().reduce((sum, n) => sum + n) === CALL_COUNT)
    expect(Math.min(...shares()), 'the share of the lesser').to.be.at.least(config.TRANSCRIPTION_CONCURRENCY)

    // Each callback is sent exactly once, by either release.
    await waitUntil('all are told', () => ids.every((id) => receiver.callbacksTo(`/${id}`).length > 0))
    for (const id of ids) expect(receiver.callbacksTo(`/${id}`), id).to.have.length(1)

    // Both releases return the same counts.
    for (const { ida } of [old, today]) {
      const { json } = await ida.get('/v1/recordings/facets')
      expect([json.total, json.status.DONE]).to.deep.equal([CALL_COUNT, CALL_COUNT])
      expect((await ida.get('/v1/transcripts?q=договор')).json.total).to.equal(CALL_COUNT)
    }
    // The new release indexes the transcripts that the last release stored.
    await waitUntil(
      'all texts have their terms',
      async () => (await query('SELECT FROM transcripts WHERE search_terms IS NULL')).length === 0,
    )
    expect((await today.ida.get('/v1/transcripts?q=спрошу')).json.total).to.equal(CALL_COUNT)
    // No scheduled run adds up the counts while a release locks them, so the test repeats it.
    await waitUntil('what is kept is what is there', async () => {
      await query('SELECT add_up_recording_counts()')
      const [kept] = await query(`SELECT sum(n)::int AS n FROM recording_counts WHERE kind = 'all'`)
      return kept!.n === CALL_COUNT
    })

    // A session of one release is valid in the other.
    const ofOld = await cookieOf(old.olga)
    const ofToday = await cookieOf(today.olga)
    expect((await today.olga.get('/v1/auth/me', ofOld)).status).to.equal(200)
    expect((await old.olga.get('/v1/auth/me', ofToday)).status).to.equal(200)
    expect((await old.olga.post('/v1/auth/logout', undefined, ofToday)).status).to.equal(204)
    expect((await today.olga.get('/v1/auth/me', ofToday)).status, 'ended at the other').to.equal(401)

    // A pause applies to both releases, and both continue after it.
    expect((await old.olga.post('/v1/queues/transcription/pause', undefined, ofOld)).status).to.be.within(200, 204)
    await insert(4)
    expect((await today.ida.get('/v1/queue')).json).to.include({ paused: true, waiting: 4, running: 0 })
    expect((await today.olga.post('/v1/queues/transcription/resume', undefined, ofOld)).status).to.be.within(200, 204)
    await done(CALL_COUNT + 4)

    // Both releases scan the inbox, but each file becomes one call.
    for (let n = 0; n < WATCHED_FILE_COUNT; n++)
      writeFileSync(join(config.audioDir, 'inbox', `call-${n}.wav`), `inbox ${n}`)
    await query(`UPDATE ingestion_runs SET due_at = now(), lease_until = NULL`)
    await done(CALL_COUNT + 4 + WATCHED_FILE_COUNT)
    expect(await query(`SELECT FROM recordings WHERE source = 'inbox'`)).to.have.length(WATCHED_FILE_COUNT)
  })

  it('one release cancels, takes over or retries the work of the other', async () => {
    const [old, today] = await Promise.all([start(bundle), start()])
    recognizer.answer = undefined
    const before = recognizer.pending.length
    const [id] = await insert(1)
    await waitUntil('one of them does it', () => recognizer.pending.length === before + 1)
    expect((await today.ida.post(`/v1/recordings/${id}/cancel`)).status).to.equal(200)
    await waitUntil('it has stopped', () => recognizer.pending.at(-1)!.aborted)
    expect((await old.ida.get(`/v1/recordings/${id}`)).json.status).to.equal('CANCELLED')

    // Eight calls exceed the capacity of one release, so the stopped one has some of them.
    const held = await insert(8)
    await waitUntil('both work', async () => (await statuses()).PROCESSING! >= 4)
    await old.process.stop('SIGTERM')
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish('ещё раз'), 30)
    for (const recognition of recognizer.pending) if (!recognition.closed) recognition.finish('ещё раз')
    const ended = async () =>
      (await query(`SELECT FROM recordings WHERE id = ANY($1) AND status = 'DONE'`, held)).length
    await waitUntil('all are done by the one that is left', async () => (await ended()) === held.length)
    expect(await query('SELECT FROM recordings WHERE id = ANY($1) AND attempts <> 1', held)).to.deep.equal([])

    // A kill leaves claims behind. Any release retries them after their leases expire.
    const again = await start(bundle)
    recognizer.answer = undefined
    const lost = await insert(8)
    await waitUntil('both work', async () => (await statuses()).PROCESSING! >= 4)
    await again.process.stop('SIGKILL')
    recognizer.answer = (recognition) => setTimeout(() => recognition.finish('ещё раз'), 30)
    for (const recognition of recognizer.pending) if (!recognition.closed) recognition.finish('ещё раз')
    await waitUntil('all are done', async () => {
      await query(
        `UPDATE recordings SET lease_until = now() WHERE lease_until BETWEEN now() AND now() + interval '25 s'`,
      )
      await query(`UPDATE recordings SET next_attempt_at = now() WHERE status = 'QUEUED' AND next_attempt_at > now()`)
      const rows = await query(`SELECT FROM recordings WHERE id = ANY($1) AND status = 'DONE'`, lost)
      return rows.length === lost.length
    })
    expect(await query('SELECT recording_id FROM transcripts GROUP BY 1 HAVING count(*) > 1')).to.deep.equal([])
    expect(today.process.exit).to.equal(undefined)
  })
})
