import { expect } from 'chai'
import pg from 'pg'
import { insertCalls } from '../test/calls.ts'
import { startTestApp, type TestApp } from '../test/server.ts'
import { waitUntil } from '../test/wait.ts'

describe('links of calls to deals', () => {
  let app: TestApp
  before(async () => (app = await startTestApp({ API_RUN_MODE: 'api' })))
  after(() => app.stop())

  const DEAL = 'INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, 7, $2)'
  const MOVE = `UPDATE recordings SET call_started_at = '2026-03-02T10:00:00Z', manager_name = 'Boris' WHERE id = $1`
  const someCall = async () => (await insertCalls(app, [{ at: '2026-03-01T10:00:00Z', manager: 'Anna' }]))[0]!

  /** Lists links whose copies of the call's time and manager differ from the call. */
  async function differences(): Promise<object[]> {
    const { rows } = await app.db.query(
      `SELECT r.id, l.call_at AS linked, r.call_at AS at FROM crm_call_deals l JOIN recordings r ON r.id = l.recording_id
        WHERE (l.call_at, l.manager_id) IS DISTINCT FROM (r.call_at, r.manager_id)`,
    )
    return rows
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: app.config.DATABASE_URL })
    await client.connect()
    return client
  }

  /** Waits until a statement of another connection waits for a lock. */
  const waits = () =>
    waitUntil('a statement that waits for a lock', async () => {
      const { rows } = await app.db.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rows.length > 0
    })

  it('links to deals follow the time and the manager of their call', async () => {
    const call = await someCall()
    await app.db.query(DEAL, [call, 'phone'])
    expect(await differences()).to.deep.equal([])
    await app.db.query(MOVE, [call])
    expect(await differences()).to.deep.equal([])
    const { rows } = await app.db.query<{ at: Date; name: string }>(
      'SELECT l.call_at AS at, m.name FROM crm_call_deals l JOIN managers m ON m.id = l.manager_id WHERE recording_id = $1',
      [call],
    )
    expect(rows[0]).to.deep.equal({ at: new Date('2026-03-02T10:00:00Z'), name: 'Boris' })
  })

  for (const [first, second] of [
    ['link', 'change'],
    ['change', 'link'],
  ]) {
    it(`links to deals stay correct if a ${second} waits for an uncommitted ${first}`, async () => {
      const call = await someCall()
      const work = { link: [DEAL, [call, 'phone']], change: [MOVE, [call]] } as Record<string, [string, unknown[]]>
      const [one, other] = [await connect(), await connect()]
      await one.query('BEGIN')
      await one.query(...work[first!]!)
      const coming = other.query(...work[second!]!)
      await waits()
      await one.query('COMMIT')
      await coming
      await Promise.all([one.end(), other.end()])
      expect(await differences()).to.deep.equal([])
    })
  }
})
