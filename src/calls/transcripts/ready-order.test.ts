import { expect } from 'chai'
import type pg from 'pg'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('GET /v1/transcripts?order=asc', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM recordings'))

  const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
  const at = (n: number) => `${days[n]}T10:00:00Z`

  /** Reads all pages of the list and calls `afterPage` after each page. */
  async function readAllPages(afterPage: (page: number) => Promise<unknown>, query = ''): Promise<string[]> {
    const read: string[] = []
    for (let page = 1; ; page++) {
      const { json } = await app.ida.get(`/v1/transcripts?order=asc&pageSize=2&page=${page}${query}`)
      read.push(...json.items.map(({ id }: { id: string }) => id))
      if (page * 2 >= json.total) return read
      await afterPage(page)
    }
  }

  for (const [rule, query] of [
    ['without a filter', ''],
    ['with a filter', '&source=upload&dateFrom=2026-01-01'],
  ] as const) {
    it(`a client that reads pages while calls change gets every text once, ${rule}`, async () => {
      const ids = await insertCalls(
        app,
        [2, 3, 4, 5].map((n) => ({ at: at(n) })),
      )
      const read = await readAllPages(async (page) => {
        // Inserts an imported call older than all others, and updates a call that was already read.
        if (page < 3) ids.push(...(await insertCalls(app, [{ at: at(0), createdAt: '2026-01-01T00:00:00Z' }])))
        await app.db.query(`UPDATE recordings SET call_started_at = $2 WHERE id = $1`, [ids[0], at(5)])
      }, query)
      expect(read).to.deep.equal(ids)
      expect(ids).to.have.length(6)
    })
  }

  it('a text that is committed late comes after the texts committed before it', async () => {
    const [first] = await insertCalls(app, [{ at: at(1) }])
    const slow = await app.db.connect()
    try {
      await slow.query('BEGIN')
      const slowCall = await insertCalls({ db: slow as unknown as pg.Pool }, [{ at: at(3) }])
      const quickCall = await insertCalls(app, [{ at: at(2) }])
      const before = (await app.ida.get('/v1/transcripts?order=asc')).json.items
      expect(before.map(({ id }: { id: string }) => id)).to.deep.equal([first, ...quickCall])
      await slow.query('COMMIT')
      expect(await readAllPages(async () => undefined)).to.deep.equal([first, ...quickCall, ...slowCall])
    } finally {
      slow.release()
    }
  })

  it('texts of concurrent commits get their numbers one after another', async () => {
    const [slow, quick] = [await app.db.connect(), await app.db.connect()]
    try {
      // The slow transaction has its number but has not committed. Other commits must wait for it, otherwise readers would skip
      // its text.
      await slow.query('BEGIN')
      const slowCall = await insertCalls({ db: slow as unknown as pg.Pool }, [{ at: at(3) }])
      await slow.query('SET CONSTRAINTS ALL IMMEDIATE')
      const quickCall = insertCalls({ db: quick as unknown as pg.Pool }, [{ at: at(2) }])
      await waitUntil('the other waits', async () => {
        const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (
          SELECT oid FROM pg_database WHERE datname = current_database())`
        return (await app.db.query(waiting)).rowCount
      })
      expect((await app.ida.get('/v1/transcripts?order=asc')).json.items).to.deep.equal([])
      await slow.query('COMMIT')
      const both = [...slowCall, ...(await quickCall)]
      expect(await readAllPages(async () => undefined)).to.deep.equal(both)
    } finally {
      slow.release()
      quick.release()
    }
  })

  it('texts without a ready number come first, by creation time', async () => {
    const ids = await insertCalls(
      app,
      [0, 1, 2].map((n) => ({ at: at(n) })),
    )
    await app.db.query(
      `UPDATE transcripts SET ready_number = NULL, created_at = '2026-02-02' WHERE recording_id = $1`,
      [ids[1]],
    )
    await app.db.query(
      `UPDATE transcripts SET ready_number = NULL, created_at = '2026-02-01' WHERE recording_id = $1`,
      [ids[2]],
    )
    expect(await readAllPages(async () => undefined)).to.deep.equal([ids[2], ids[1], ids[0]])
  })

  it('the ready order supports filters, search and pages past the end', async () => {
    const ids = await insertCalls(app, [
      { at: at(2), manager: 'Анна', text: 'доставка завтра' },
      { at: at(1), manager: 'Олег', text: 'доставка вчера' },
      { at: at(0), status: 'FAILED' },
    ])
    const list = async (query: string) => {
      const { json } = await app.ida.get(`/v1/transcripts?order=asc&${query}`)
      return [json.total, ...json.items.map(({ id }: { id: string }) => ids.indexOf(id))]
    }
    expect(await list('')).to.deep.equal([2, 0, 1])
    expect(await list('q=доставка')).to.deep.equal([2, 0, 1])
    expect(await list('manager=олег')).to.deep.equal([1, 1])
    expect(await list('page=2')).to.deep.equal([2])
    expect(await list('q=доставка&dateTo=2026-03-03')).to.deep.equal([1, 1])
  })
})
