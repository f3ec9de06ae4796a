import { expect } from 'chai'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('list totals', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const FILTERS = ['', 'status=DONE', 'status=FAILED,CANCELLED', 'source=url', 'direction=INBOUND&source=crm', 'manager=m1',
    'manager=m1&direction=OUTBOUND', 'dateFrom=2026-01-03T05:00:00Z&dateTo=2026-01-09T20:30:00Z', 'dateTo=2026-01-05T00:00:00Z',
    'createdFrom=2026-01-02T12:00:00Z', 'createdFrom=2026-01-02&status=DONE', 'dateFrom=2026-01-04&source=url', 'minDurationSeconds=20.5&maxDurationSeconds=40', 'maxDurationSeconds=30',
    'scoreBelow=50.5', 'scoreBelow=50&status=DONE'] // prettier-ignore

  /** Returns the totals that the pages show, and the number of items over all pages. */
  async function loadTotals(): Promise<{ shown: number[]; read: number[] }> {
    const shownTotals: number[] = []
    const itemCounts: number[] = []
    for (const filter of FILTERS) {
      const ids = new Set<string>()
      for (let page = 1; ; page++) {
        const { json } = await app.ida.get(`/v1/recordings?pageSize=100&page=${page}&${filter}`)
        if (json.items.length === 0) {
          shownTotals.push(json.total)
          break
        }
        json.items.forEach(({ id }: { id: string }) => ids.add(id))
      }
      itemCounts.push(ids.size)
    }
    return { shown: shownTotals, read: itemCounts }
  }

  async function expectExactTotals(): Promise<void> {
    const { shown: shownTotals, read: itemCounts } = await loadTotals()
    expect(shownTotals).to.deep.equal(itemCounts)
  }

  /** Picks a pseudo-random item, which is the same in every run. */
  const pick = <T>(list: T[], n: number): T => list[(n * 7919 + (n >> 3) * 104_729) % list.length]!

  it('totals stay exact while calls are added, changed and deleted', async () => {
    const calls = Array.from({ length: 400 }, (_, n): TestCallRow => {
      const at = new Date(Date.UTC(2026, 0, 1) + n * 37 * 60_000).toISOString()
      return {
        at: pick([at, at, null], n), createdAt: at, status: pick(['DONE', 'FAILED', 'CANCELLED'], n),
        source: pick(['upload', 'url', 'crm'], n + 1), direction: pick(['INBOUND', 'OUTBOUND', null], n + 2),
        manager: pick(['m1', 'm2', 'M1 x', null], n + 3), duration: pick([10, 20.5, 20.7, 30, 40, 40.1, null], n + 4),
        score: pick([null, 0, 50, 50.4, 50.5, 100], n + 5),
      } // prettier-ignore
    })
    const ids = await insertCalls(app, calls)
    await expectExactTotals()
    await app.db.query('SELECT add_up_recording_counts()')
    expect((await app.db.query('SELECT count(*)::int AS n FROM recording_count_changes')).rows[0].n).to.equal(0)
    await expectExactTotals()

    await app.db.query(
      `UPDATE recordings SET status = 'DONE', duration_seconds = 33, score = 12 WHERE status = 'FAILED'`,
    )
    await app.db.query(
      `UPDATE recordings SET manager_name = 'm1', direction = NULL, call_started_at = now() WHERE source = 'url'`,
    )
    await app.ida.delete(`/v1/recordings/${ids[0]}`)
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1)', [ids.slice(100, 200)])
    await expectExactTotals()
    await app.db.query('SELECT add_up_recording_counts()')
    await expectExactTotals()
  })

  it('totals stay exact under concurrent writes and merges of counts', async () => {
    const write = async (n: number) => {
      const [id] = await insertCalls(app, [{ manager: `w${n % 3}`, status: 'FAILED', duration: n }])
      await app.ida.post(`/v1/recordings/${id}/retry`)
      if (n % 2) await app.ida.delete(`/v1/recordings/${id}`)
      if (n % 5 === 0) await app.db.query('SELECT add_up_recording_counts()')
    }
    await Promise.all(Array.from({ length: 40 }, (_, n) => write(n)))
    await app.db.query('SELECT add_up_recording_counts()')
    const { rows } = await app.db.query(
      `SELECT (SELECT sum(n)::int FROM recording_counts WHERE kind = 'manager') AS kept, (SELECT count(*)::int FROM recordings) AS n,
              (SELECT sum(n)::int FROM recording_counts WHERE kind = 'call') AS days`,
    )
    expect(rows[0]).to.deep.equal({ kept: rows[0].n, days: rows[0].n, n: rows[0].n })
    await expectExactTotals()
  })
})
