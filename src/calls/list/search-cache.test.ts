import { expect } from 'chai'
import pg from 'pg'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

/** A search with an exclusion runs day by day, even with few calls. */
const SEARCH_QUERY = `q=${encodeURIComponent('персик or -слово')}`

describe('search cache', () => {
  let app: TestApp
  let max: TestClient
  let ids: string[]
  let searches = 0

  const query = Reflect.get(pg.Client.prototype, 'query') as (...words: unknown[]) => unknown
  before(() => {
    pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
      const { text = '' } = words[0] as { text?: string }
      if (text.includes('array_send')) searches++
      return query.apply(this, words)
    } as typeof pg.Client.prototype.query
  })
  after(() => {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query
  })
  // The cache belongs to a database, so each test starts its own.
  beforeEach(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    ids = await insertCalls(app, [
      call('слово, персик, персик и персик', 1, 'Анна', 'INBOUND'),
      call('слово и ещё персик', 2, 'Борис', 'INBOUND'),
      call('слово персик', 3, 'Анна', 'OUTBOUND'),
      call('слово', 3, 'Анна', 'INBOUND'),
    ])
    max = await createLoggedInManager(app, 'Борис')
    searches = 0
  })
  afterEach(() => app.stop())

  const call = (text: string, day: number, manager = 'Анна', direction = 'INBOUND') => ({
    text,
    at: `2026-03-0${day}T10:00:00Z`,
    manager,
    direction,
  })
  async function findIds(filter = '', client = app.ida): Promise<string[]> {
    const { json } = await client.get(`/v1/recordings?${SEARCH_QUERY}&${filter}`)
    expect(json.total).to.equal(json.items.length)
    return json.items.map(({ id }: { id: string }) => id)
  }
  const change = (id: string | undefined, column: string, value: string) =>
    app.db.query(`UPDATE recordings SET ${column} = $2 WHERE id = $1`, [id, value])

  it('all filters, pages and orders of a search share its cached matches', async () => {
    const [first, second, third] = ids
    expect(await findIds('direction=INBOUND')).to.deep.equal([first, second])
    expect(await findIds('direction=OUTBOUND')).to.deep.equal([third])
    expect(await findIds('manager=анна')).to.deep.equal([first, third])
    expect(await findIds('status=FAILED')).to.deep.equal([])
    expect(await findIds()).to.deep.equal([first, third, second])
    expect(
      (await app.ida.get(`/v1/recordings?${SEARCH_QUERY}&manager=анна&pageSize=1&page=2`)).json.items[0].id,
    ).to.equal(third)
    expect((await app.ida.get(`/v1/transcripts?${SEARCH_QUERY}&direction=INBOUND`)).json.total).to.equal(2)
    expect(searches).to.equal(1)
  })

  it('the cached matches show a manager only their own calls', async () => {
    expect(await findIds()).to.have.length(3)
    expect(await findIds('', max)).to.deep.equal([ids[1]])
    await change(ids[0], 'manager_name', 'Борис')
    expect(await findIds('', max)).to.deep.equal([ids[0], ids[1]])
    await change(ids[1], 'manager_name', 'Анна')
    expect(await findIds('', max)).to.deep.equal([ids[0]])
    expect(await findIds('manager=борис')).to.deep.equal([ids[0]])
  })

  it('the cached matches follow a call to another day', async () => {
    const late = 'dateFrom=2026-03-02T00:00:00Z'
    expect(await findIds(late)).to.deep.equal([ids[2], ids[1]])
    await change(ids[0], 'call_started_at', '2026-03-02T11:00:00Z')
    expect(await findIds(late)).to.deep.equal([ids[0], ids[2], ids[1]])
    await change(ids[2], 'call_started_at', '2026-03-01T11:00:00Z')
    expect(await findIds(late)).to.deep.equal([ids[0], ids[1]])
  })

  it('the cached matches exclude deleted texts and include new ones', async () => {
    const inbound = 'direction=INBOUND'
    expect(await findIds(inbound)).to.deep.equal([ids[0], ids[1]])
    await app.db.query('DELETE FROM transcripts WHERE recording_id = $1', [ids[1]])
    await change(ids[1], 'status', 'QUEUED')
    expect(await findIds(inbound)).to.deep.equal([ids[0]])
    const [same, other] = await insertCalls(app, [call('слово, персик и персик', 3), call('слово персик', 2)])
    expect(await findIds(inbound)).to.deep.equal([ids[0], same, other])
    await app.db.query('DELETE FROM recordings WHERE id = $1', [ids[0]])
    expect(await findIds(inbound)).to.deep.equal([same, other])
  })
})
