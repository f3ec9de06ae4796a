import { expect } from 'chai'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('deep pages of lists', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    // Inserts 2,300 calls of five weeks. Some days have none, some have hundreds, and many calls have the same time.
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor((n * n) / 1600) * 900_000).toISOString()
    await insertCalls(app, Array.from({ length: 2300 }, (_, n): TestCallRow => ({ at: at(n) }))) // prettier-ignore
  })
  after(() => app.stop())

  async function expectPages(): Promise<void> {
    for (const order of ['asc', 'desc']) {
      const { rows } = await app.db.query(`SELECT id FROM recordings ORDER BY call_at ${order}, id ${order}`)
      const all = rows.map(({ id }) => id as string)
      for (const [pageSize, page] of [[100, 10], [100, 11], [100, 12], [100, 23], [100, 24], [7, 144], [7, 300], [1, 1001], [1, 2000], [1, 2300]] as const) {
        const { json } = await app.ida.get(`/v1/recordings?order=${order}&pageSize=${pageSize}&page=${page}`)
        const ids = json.items.map(({ id }: { id: string }) => id)
        expect(ids, `page ${page} of ${pageSize}, ${order}`).to.deep.equal(all.slice((page - 1) * pageSize, page * pageSize))
        expect(json.total).to.equal(all.length)
      }
    } // prettier-ignore
  }

  it('a page far from the first continues the previous page in both orders', async () => {
    await expectPages()
    await app.db.query('SELECT add_up_recording_counts()')
    await expectPages()
    await app.db.query(`DELETE FROM recordings WHERE call_at::date = '2026-01-20'`)
    await app.db.query(`UPDATE recordings SET call_started_at = now() WHERE call_at::date = '2026-01-05'`)
    await insertCalls(
      app,
      Array.from({ length: 60 }, (_, n): TestCallRow => ({ at: `2026-01-0${1 + (n % 9)}T00:00:00Z` })),
    )
    await expectPages()
    await app.db.query('SELECT add_up_recording_counts()')
    await expectPages()
  })
})
