import { SYSTEM_ACTOR } from '../../platform/http/actor.ts'
import http from 'node:http'
import { expect } from 'chai'
import { openAppCore } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import { parseZip, parseCsv } from '../../test/file-formats.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { TRANSCRIPT_EXPORT_LIMIT_MS, openTranscriptSnapshot } from './snapshot.ts'

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=cmd|"/c calc"!A1']

/** Matches transactions of exports, which send rows or idle between two statements. */
const IS_EXPORT_SQL = `datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
  AND (state = 'idle in transaction' OR wait_event = 'ClientWrite')`
/** Matches all other transactions too, including those that read rows. */
const IS_TRANSACTION_SQL = `datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`

describe('GET /v1/transcripts/export', () => {
  let app: TestApp
  let ids: string[]
  const calls: TestCallRow[] = [
    { at: '2026-03-01T22:00:00Z', phone: '+375 (29) 123-45-67', manager: 'Анна "К", О', text: 'первая\nвторая', score: 12.5, duration: 61.3, direction: 'INBOUND' },
    { at: '2026-03-02T00:00:00Z', externalCallId: '=1+1', manager: '@SUM(A1)', text: '-1', status: 'DONE' },
    { at: '2026-02-01T00:00:00Z', phone: '../../etc/passwd', text: '🚕 \u202e"quoted", and; more' },
    { at: '2026-03-03T00:00:00Z', status: 'FAILED' },
    { createdAt: '2026-04-01T00:00:00Z', text: '' },
  ] // prettier-ignore

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    ids = await insertCalls(app, calls)
  })
  after(() => app.stop())

  const inOrder = () => [ids[2]!, ids[0]!, ids[1]!, ids[4]!]
  const day = () => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Moscow' }).format(new Date())

  it('an export as jsonl has each recording as GET returns it, oldest call first', async () => {
    const { text, headers } = await app.ida.get('/v1/transcripts/export?format=jsonl')
    expect(headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8')
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="transcripts-${day()}.jsonl"`)
    expect(headers.get('x-transcripts-matching')).to.equal('4')
    expect(headers.get('x-transcripts-exported')).to.equal('4')
    const lines = text.split('\n')
    expect(lines.pop()).to.equal('')
    expect(lines.map((line) => JSON.parse(line).id)).to.deep.equal(inOrder())
    for (const line of lines) {
      const recording = JSON.parse(line)
      expect(recording).to.deep.equal((await app.ida.get(`/v1/recordings/${recording.id}`)).json)
    }
  })

  it('the filter ids limits an export together with the other filters', async () => {
    const exported = async (query: string) => {
      const { text } = await app.ida.get(`/v1/transcripts/export?format=jsonl&${query}`)
      return text.split('\n').slice(0, -1).map((line) => JSON.parse(line).id) // prettier-ignore
    }
    expect(await exported(`ids=${ids[4]},${ids[2]},${ids[3]}`)).to.deep.equal([ids[2], ids[4]])
    expect(await exported(`ids=${ids[4]},${ids[2]}&dateTo=2026-03-01`)).to.deep.equal([ids[2]])
    const { status, json } = await app.ida.get('/v1/transcripts/export?ids=1')
    expect([status, json.message]).to.deep.equal([400, ['ids must contain only UUIDs']])
  })

  it('an export truncates times to milliseconds, also before 2000', async () => {
    const moments = [
      '1970-01-01T00:00:00.000',
      '1999-12-31T23:59:59.9995',
      '2026-03-01T10:00:00.0009',
      '9999-12-31T23:59:59.999',
    ]
    const own = await insertCalls(
      app,
      moments.map((moment) => ({ at: `${moment}Z`, text: '' })),
    )
    const { text } = await app.ida.get(`/v1/transcripts/export?format=jsonl&ids=${own.join()}`)
    await app.db.query('DELETE FROM recordings WHERE id = ANY ($1)', [own])
    const callTimes = text.split('\n').slice(0, -1).map((line) => JSON.parse(line).callStartedAt) // prettier-ignore
    expect(callTimes).to.deep.equal(moments.map((moment) => `${moment.slice(0, 23)}Z`))
  })

  it('an export as csv is UTF-8 with a byte order mark and RFC 4180 lines', async () => {
    const response = await fetch(`${app.url}/v1/transcripts/export?format=csv`, { headers: app.ida.headers })
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(response.headers.get('content-encoding')).to.equal(null)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 3)).to.deep.equal(Buffer.from([0xef, 0xbb, 0xbf]))
    const [header, ...lines] = parseCsv(bytes.subarray(3).toString())
    expect(header!.slice(0, 2)).to.deep.equal(['id', 'callStartedAt'])
    const rows = lines.map((line) => Object.fromEntries(header!.map((name, n) => [name, line[n]])))
    expect(rows.map(({ id }) => id)).to.deep.equal(inOrder())
    expect(rows[1]).to.include({
      callStartedAt: '2026-03-01T22:00:00.000Z', durationSeconds: '61.3', direction: 'INBOUND', managerName: 'Анна "К", О',
      phoneNumber: "'+375 (29) 123-45-67", score: '12.5', text: 'первая\nвторая', source: 'upload', language: 'ru',
    }) // prettier-ignore
    expect(rows[2]).to.include({ externalCallId: "'=1+1", managerName: "'@SUM(A1)", text: "'-1", phoneNumber: '' })
  })

  it('no cell of an exported csv or index can start a formula', async () => {
    const other = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      await insertCalls(
        other,
        FORMULAS.map((text, n) => ({ phone: text, manager: text, externalCallId: text + n, text, duration: n })),
      )
      await other.db.query('UPDATE recordings SET file_name = manager_name')
      await other.db.query('UPDATE transcripts SET language = text')
      const csv = (await other.ida.get('/v1/transcripts/export?format=csv')).text
      const zip = Buffer.from(
        await (await fetch(`${other.url}/v1/transcripts/export`, { headers: other.ida.headers })).arrayBuffer(),
      )
      const index = parseZip(zip).at(-1)!
      for (const file of [csv, index[1].replace(/^\ufeff/, '')]) {
        const lines = parseCsv(file)
        expect(lines).to.have.length(FORMULAS.length + 1)
        for (const cell of lines.flat()) expect(cell).to.not.match(/^[=+\-@\t\r＝＋－＠]/)
        expect(lines.flat().filter((cell) => cell.startsWith("'"))).to.have.length.at.least(5 * FORMULAS.length)
      }
    } finally {
      await other.stop()
    }
  })

  it('an export as zip has a .txt per transcript and an index.csv', async () => {
    const response = await fetch(`${app.url}/v1/transcripts/export`, { headers: app.ida.headers })
    expect(response.headers.get('content-type')).to.equal('application/zip')
    expect(response.headers.get('content-disposition')).to.equal(`attachment; filename="transcripts-${day()}.zip"`)
    const entries = parseZip(Buffer.from(await response.arrayBuffer()))
    expect(entries.map(([name]) => name)).to.deep.equal([
      `2026-02-01_etc-passwd_${ids[2]}.txt`,
      `2026-03-02_+375-29-123-45-67_${ids[0]}.txt`, // 22:00 UTC is the next day in Moscow
      `2026-03-02_${ids[1]}_${ids[1]}.txt`,
      `2026-04-01_${ids[4]}_${ids[4]}.txt`,
      'index.csv',
    ])
    expect(entries[1]![1]).to.equal('первая\nвторая\n')
    expect(entries[3]![1]).to.equal('')
    const [header, ...lines] = parseCsv(entries[4]![1].replace(/^\ufeff/, ''))
    expect(header).to.include('file').and.not.include('text')
    expect(lines.map(([file]) => file)).to.deep.equal(entries.slice(0, 4).map(([name]) => name))
  })

  it('an export names a call of the last second of 9999 by that day', async () => {
    const [last] = await insertCalls(app, [{ at: '9999-12-31T23:59:59Z', text: 'the end' }])
    try {
      const response = await fetch(`${app.url}/v1/transcripts/export?ids=${last}`, { headers: app.ida.headers })
      const [text, index] = parseZip(Buffer.from(await response.arrayBuffer()))
      expect(text).to.deep.equal([`9999-12-31_${last}_${last}.txt`, 'the end\n'])
      expect(parseCsv(index![1].replace(/^\ufeff/, ''))[1]![0]).to.equal(text![0])
    } finally {
      await app.db.query('DELETE FROM recordings WHERE id = $1', [last])
    }
  })

  it('an export applies filters and limit and counts all matches', async () => {
    const two = await app.ida.get('/v1/transcripts/export?format=jsonl&limit=2')
    expect(two.headers.get('x-transcripts-matching')).to.equal('4')
    expect(two.headers.get('x-transcripts-exported')).to.equal('2')
    expect(two.text.trim().split('\n').map((line) => JSON.parse(line).id)).to.deep.equal(inOrder().slice(0, 2)) // prettier-ignore
    const searched = await app.ida.get('/v1/transcripts/export?format=jsonl&q=вторые')
    expect(JSON.parse(searched.text).id).to.equal(ids[0])
    const none = await app.ida.get('/v1/transcripts/export?format=csv&direction=OUTBOUND')
    expect(none.headers.get('x-transcripts-exported')).to.equal('0')
    expect(parseCsv(none.text.replace(/^\ufeff/, ''))).to.have.length(1)
    expect((await app.ida.get('/v1/transcripts/export?format=jsonl&direction=OUTBOUND')).text).to.equal('')
    for (const wrong of ['limit=0', 'limit=50001', 'format=xml', 'colour=red', 'limit=1.5']) {
      expect((await app.ida.get(`/v1/transcripts/export?${wrong}`)).status, wrong).to.equal(400)
    }
    expect((await app.nobody.get('/v1/transcripts/export')).status).to.equal(401)
  })

  it('HEAD of an export keeps no transaction open', async () => {
    for (let n = 0; n < 10; n++) {
      const answer = await app.ida.send('/v1/transcripts/export', { method: 'HEAD' })
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('x-transcripts-exported')).to.equal('4')
      expect(answer.text).to.equal('')
    }
    await waitUntil('no transaction is open', async () => (await countTransactions()) === 0)
  })

  /** Counts the connections of exports that wait for their clients. */
  async function countTransactions(condition = IS_EXPORT_SQL): Promise<number> {
    const { rows } = await app.db.query(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${condition}`)
    return rows[0].n
  }

  describe('long exports', () => {
    const COUNT = 1500
    before(() =>
      insertCalls(
        app,
        Array.from({ length: COUNT }, (_, n) => ({
          at: new Date(Date.UTC(2027, 0, 1) + n * 1000).toISOString(),
          manager: 'Много',
          text: `${n} ${'слова без конца '.repeat(600)}`,
        })),
      ),
    )

    /** Starts an export without reading its response. */
    function startExport(query = 'format=jsonl&manager=много'): Promise<http.IncomingMessage> {
      return new Promise((resolve, reject) => {
        const request = http.get(`${app.url}/v1/transcripts/export?${query}`, {
          headers: app.ida.headers,
          agent: false,
        })
        request.on('response', resolve).on('error', reject)
      })
    }

    async function readBody(response: http.IncomingMessage): Promise<string> {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString()
    }

    it('an export is a snapshot, even if calls change while it is read', async () => {
      const response = await startExport()
      expect(response.headers['x-transcripts-exported']).to.equal(String(COUNT))
      await waitUntil('it waits for its client', async () => (await countTransactions()) === 1)
      const { rows } = await app.db.query(
        `DELETE FROM recordings WHERE id IN (SELECT id FROM recordings WHERE manager_name = 'Много' ORDER BY call_at DESC LIMIT 500)
         RETURNING id, call_at`,
      )
      await app.db.query(
        `UPDATE recordings SET manager_name = 'Anders' WHERE manager_name = 'Много' AND call_at > '2027-01-01T00:10:00Z'`,
      )
      await insertCalls(app, [{ at: '2027-01-01T00:20:00Z', manager: 'Много', text: 'neu' }])
      const lines = (await readBody(response)).trim().split('\n')
      expect(lines).to.have.length(COUNT)
      lines.forEach((line, n) =>
        expect(JSON.parse(line))
          .to.include({ managerName: 'Много' })
          .and.have.nested.property('transcript.text')
          .that.match(new RegExp(`^${n} `)),
      )
      expect(new Set(lines.map((line) => JSON.parse(line).id)).size).to.equal(COUNT)
      expect(rows).to.have.length(500)
      await waitUntil('no transaction is open', async () => (await countTransactions()) === 0)
    })

    it('an export announces its exact number of lines while calls change', async () => {
      const writing = new AbortController()
      const writer = (async () => {
        while (!writing.signal.aborted) {
          const [id] = await insertCalls(app, [{ manager: 'Flüchtig' }])
          await app.db.query('DELETE FROM recordings WHERE id <> $1 AND manager_name = $2', [id, 'Flüchtig'])
          await insertCalls(app, [{ manager: 'Flüchtig' }, { manager: 'Flüchtig' }])
        }
      })()
      for (let n = 0; n < 100; n++) {
        const { headers, text } = await app.ida.get('/v1/transcripts/export?format=jsonl&manager=flüchtig')
        expect(text.split('\n').length - 1).to.equal(Number(headers.get('x-transcripts-exported')))
      }
      writing.abort()
      await writer
    })

    it('an export releases its connection when the client disconnects', async () => {
      for (const format of ['jsonl', 'csv', 'zip']) {
        for (let n = 0; n < 8; n++) {
          const response = await startExport(`format=${format}&q=слова`)
          if (n % 2) await new Promise((resolve) => response.once('data', resolve))
          response.destroy()
        }
      }
      await waitUntil('no transaction is open', async () => (await countTransactions()) === 0)
      const text = await readBody(await startExport())
      expect(text.length).to.be.greaterThan(1000)
    })

    it('slow exports do not block lists, and a fifth export waits', async () => {
      const stuck = await Promise.all([startExport(), startExport(), startExport(), startExport()])
      const waiting = startExport('format=jsonl&limit=1')
      let hasResponded = false
      void waiting.then(() => (hasResponded = true))
      await Promise.all(Array.from({ length: 10 }, () => app.ida.get('/v1/recordings')))
      await waitUntil('all four wait for their clients', async () => (await countTransactions()) === 4)
      expect(hasResponded).to.equal(false)
      stuck[0].destroy()
      expect((await readBody(await waiting)).trim().split('\n')).to.have.length(1)
      for (const response of stuck) response.destroy()
      await waitUntil('no transaction is open', async () => (await countTransactions()) === 0)
    })

    it('an export fails and releases its connection after 15 minutes', async () => {
      expect(TRANSCRIPT_EXPORT_LIMIT_MS).to.equal(15 * 60_000)
      const { core, close } = await openAppCore(app.config, createLogger('silent', 'test'))
      try {
        const wanted = { limit: COUNT, columns: 't.text' }
        const { exported, batches } = await openTranscriptSnapshot(core, SYSTEM_ACTOR, {}, wanted, 8000)
        expect(exported).to.be.greaterThan(0)
        const reading = batches[Symbol.asyncIterator]()
        expect((await reading.next()).value).to.have.length.greaterThan(0)
        await waitUntil('it waits for its reader', async () => (await countTransactions()) === 1)
        await waitUntil('it is cut', async () => (await countTransactions(IS_TRANSACTION_SQL)) === 0)
        const toTheEnd = async () => {
          while (!(await reading.next()).done);
        }
        const failure = await toTheEnd().catch((error: unknown) => error)
        expect(failure).to.be.an('error')
      } finally {
        await close()
      }
    })

    it('an export fails if its database connection ends, and the next one works', async () => {
      const response = await startExport()
      await waitUntil('its connection is cut while it waits for its client', async () => {
        const { rowCount } = await app.db.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_EXPORT_SQL}`,
        )
        return rowCount === 1
      })
      let failure: unknown
      await readBody(response).catch((error: unknown) => (failure = error))
      expect(failure, 'the client learns that the file is not whole').to.be.an('error')
      expect((await app.ida.get('/v1/transcripts/export?format=jsonl&limit=1')).status).to.equal(200)
    })
  })
})
