import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { createTestDatabase, startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'
import { reindexTranscriptBatch, reindexTranscripts } from './reindex.ts'

const KILL_COUNT = chooseRepeatCount(3, 30)
const TEXT_COUNT = chooseRepeatCount(1500, 10_000)
const COUNT_UNINDEXED_SQL = 'SELECT count(*)::int AS n FROM transcripts WHERE search_terms IS NULL'

/** Records each text that gets its search terms. */
const RECORD_INDEXING_SQL = `
  CREATE TABLE noted (recording_id uuid);
  CREATE FUNCTION note_terms() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO noted VALUES (NEW.recording_id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_terms AFTER UPDATE OF search_terms ON transcripts
    FOR EACH ROW EXECUTE FUNCTION note_terms()`

describe('reindexing', () => {
  let app: TestApp
  let opened: CoreHandle
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    opened = await openAppCore(app.config, createLogger('silent', 'test'))
  })
  beforeEach(() => app.db.query('DELETE FROM recordings'))
  after(async () => {
    await opened.close()
    await app.stop()
  })

  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows
  /** Inserts calls whose texts have no search terms, as an earlier release does. */
  async function insertOldCalls(calls: TestCallRow[]): Promise<string[]> {
    const ids = await insertCalls(app, calls)
    await query('UPDATE transcripts SET search_terms = NULL WHERE recording_id = ANY($1)', ids)
    return ids
  }
  async function findIds(q: string, filters = ''): Promise<string[]> {
    const { status, json } = await app.ida.get(`/v1/transcripts?q=${encodeURIComponent(q)}${filters}`)
    expect(status, q).to.equal(200)
    return json.items.map(({ id }: { id: string }) => id)
  }
  const waiting = async () => (await query(COUNT_UNINDEXED_SQL))[0].n
  const reindex = () => reindexTranscripts(opened.core, new AbortController().signal)

  it('reindexing starts with the newest texts and ends with those without a number', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push(...(await insertOldCalls([{ text: `звонок ${n}` }])))
    await query(
      `UPDATE transcripts t SET ready_number = NULL, created_at = now() + make_interval(secs => o.n)
         FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, n) WHERE t.recording_id = o.id`,
      ids.slice(0, 3),
    )
    let left = ids.length
    while (await reindexTranscriptBatch(opened.core, 2)) {
      const rows = await query('SELECT recording_id AS id FROM transcripts WHERE search_terms IS NULL')
      expect(rows.length).to.be.within(left - 2, left - 1)
      expect(rows.map(({ id }) => id)).to.have.members(ids.slice(0, rows.length))
      left = rows.length
    }
    expect(left).to.equal(0)
  })

  it('the search finds texts without terms by the previous index', async () => {
    const [old] = await insertOldCalls([{ text: 'клиент спросил про договоры' }])
    const [current] = await insertCalls(app, [{ text: 'клиент спросил про договор' }])
    expect(await findIds('договор')).to.have.members([old, current])
    expect(await findIds('клиент догов'), 'as a prefix').to.have.members([old, current])
    expect(await findIds('спрошу')).to.deep.equal([current])
    await reindex()
    expect(await findIds('договор')).to.have.members([old, current])
    expect(await findIds('спрошу')).to.have.members([old, current])
  })

  it('reindexing renews the terms of a text that an earlier release changed', async () => {
    const ids = await insertCalls(app, [{ text: 'нужна доставка' }, { text: 'нужна доставка' }])
    await query(`UPDATE transcripts SET text = 'нужен договор' WHERE recording_id = $1`, ids[0])
    expect(await waiting()).to.equal(1)
    expect(await findIds('договоры')).to.deep.equal([ids[0]])
    await reindex()
    expect(await waiting()).to.equal(0)
    expect(await findIds('договоры')).to.deep.equal([ids[0]])
    expect(await findIds('доставить or доставка')).to.deep.equal([ids[1]])
  })

  it('the search finds a call by its corrected time before and after reindexing', async () => {
    const at = '2026-03-01T12:00:00Z'
    const ids = await insertOldCalls([
      { text: 'договор', at },
      { text: 'договор', at },
    ])
    const correct = async (id: string | undefined, callStartedAt: string) =>
      expect((await app.olga.patch(`/v1/recordings/${id}`, { callStartedAt })).status).to.equal(200)
    const later = () => findIds('договор', '&dateFrom=2026-03-05T00:00:00Z')
    await correct(ids[0], '2026-03-07T12:00:00Z')
    expect(await later()).to.deep.equal([ids[0]])
    await reindex()
    expect(await later()).to.deep.equal([ids[0]])
    await correct(ids[0], at)
    await correct(ids[1], '2026-03-08T12:00:00Z')
    expect(await later()).to.deep.equal([ids[1]])
    expect(await waiting()).to.equal(0)
  })

  it('reindexing skips a text that another worker has locked', async () => {
    const ids = await insertOldCalls([{ text: 'один' }, { text: 'два' }])
    const other = await app.db.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM transcripts WHERE recording_id = $1 FOR NO KEY UPDATE', [ids[0]])
    await reindex()
    expect(await waiting()).to.equal(1)
    await other.query('COMMIT')
    other.release()
    await reindex()
    expect(await waiting()).to.equal(0)
  })

  it('reindexing stops after a batch when the process stops', async () => {
    await insertOldCalls(Array.from({ length: 30 }, (_, n) => ({ text: `звонок ${n}` })))
    const stopping = new AbortController()
    const finished = reindexTranscripts(opened.core, stopping.signal)
    stopping.abort()
    await finished
    expect(await waiting()).to.be.within(10, 29)
  })

  it('/v1/system returns the progress of reindexing', async () => {
    await insertOldCalls([{ text: 'один' }])
    await insertCalls(app, [{ text: 'два' }, { text: 'три' }])
    expect((await app.ida.get('/v1/system')).json.search).to.deep.equal({ indexed: 2, total: 3 })
    expect(await (await fetch(app.metricsUrl)).text()).to.match(/^svc_search_unindexed_texts 1$/m)
    await reindex()
    expect((await app.ida.get('/v1/system')).json.search).to.equal(null)
  })
})

describe('reindexing in worker processes', () => {
  it(`after ${KILL_COUNT} killed workers, every text has been indexed exactly once`, async () => {
    const database = await createTestDatabase({ API_RUN_MODE: 'worker' })
    const started: ServiceProcess[] = []
    const start = () => {
      const worker = new ServiceProcess('api', { ...database.config, LOG_LEVEL: 'info' })
      started.push(worker)
      return worker
    }
    const query = async (sql: string) => (await database.db.query(sql)).rows
    const waiting = async (): Promise<number> => (await query(COUNT_UNINDEXED_SQL))[0].n
    try {
      const words = Array.from({ length: 150 }, (_, n) => `договор доставка ${n}`).join(' ')
      await insertCalls(database, [{ text: words }])
      await query(`
        INSERT INTO recordings (id, status, source, storage_key, size_bytes)
        SELECT gen_random_uuid(), 'DONE', 'upload', 'many/' || n, 1 FROM generate_series(2, ${TEXT_COUNT}) AS n;
        INSERT INTO transcripts (recording_id, text, model, decoder, language, segments)
        SELECT r.id, t.text, t.model, t.decoder, t.language, t.segments FROM recordings r, transcripts t
         WHERE r.storage_key LIKE 'many/%';
        UPDATE transcripts SET search_terms = NULL;
        ${RECORD_INDEXING_SQL}`)
      const workers = [start(), start()]
      for (let kill = 0; kill < KILL_COUNT; kill++) {
        await workers[kill % 2]!.waitUntilReady()
        const before = await waiting()
        await waitUntil('some have their terms', async () => (await waiting()) < before)
        workers[kill % 2]!.kill('SIGKILL')
        workers[kill % 2] = start()
      }
      expect(await waiting(), 'killed in the middle').to.be.above(0)
      await waitUntil('all have their terms', async () => (await waiting()) === 0, 60_000)
      const [noted] = await query('SELECT count(*)::int AS n, count(DISTINCT recording_id)::int AS texts FROM noted')
      expect(noted).to.deep.equal({ n: TEXT_COUNT, texts: TEXT_COUNT })
      for (const worker of workers) expect((await worker.stop()).code).to.equal(0)
    } finally {
      await Promise.all(started.map((worker) => worker.stop('SIGKILL')))
      await database.remove()
    }
  }).timeout(chooseRepeatCount(120_000, 600_000))
})
