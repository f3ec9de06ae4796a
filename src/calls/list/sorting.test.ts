import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('sort orders of recordings', () => {
  let app: TestApp
  const names = new Map<string, string>()

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    const calls = {
      good: { at: '2026-03-01T07:00:00Z', score: 90, duration: 60, manager: 'boris', phone: '+375291' },
      poor: {
        at: '2026-03-02T07:00:00Z',
        score: 12.5,
        duration: 300,
        manager: 'Anna',
        phone: '+375292',
        text: 'доставка',
      },
      poorToo: { at: '2026-03-03T07:00:00Z', score: 12.5, duration: 20, manager: 'anna', text: 'доставка' },
      unchecked: { at: '2026-03-04T07:00:00Z', duration: 100, text: 'доставка' },
      waiting: { at: '2026-03-05T07:00:00Z', status: 'QUEUED' },
    }
    const ids = await insertCalls(app, Object.values(calls))
    Object.keys(calls).forEach((name, n) => names.set(ids[n]!, name))
  })
  after(() => app.stop())

  async function listNames(query: string): Promise<(string | undefined)[]> {
    const { status, json } = await app.ida.get(`/v1/recordings?${query}`)
    expect(status, JSON.stringify(json)).to.equal(200)
    return json.items.map(({ id }: { id: string }) => names.get(id))
  }

  const ORDERS: [query: string, expected: string[]][] = [
    ['sort=score&order=asc', ['poorToo', 'poor', 'good', 'waiting', 'unchecked']],
    ['sort=score', ['good', 'poorToo', 'poor', 'waiting', 'unchecked']],
    ['sort=durationSeconds&order=asc', ['poorToo', 'good', 'unchecked', 'poor', 'waiting']],
    ['sort=durationSeconds&order=desc', ['poor', 'unchecked', 'good', 'poorToo', 'waiting']],
    ['sort=managerName&order=asc', ['poorToo', 'poor', 'good', 'waiting', 'unchecked']],
    ['sort=managerName', ['good', 'poorToo', 'poor', 'waiting', 'unchecked']],
    ['sort=phoneNumber&order=asc', ['good', 'poor', 'waiting', 'unchecked', 'poorToo']],
    ['sort=phoneNumber&order=desc', ['poor', 'good', 'waiting', 'unchecked', 'poorToo']],
    ['sort=callStartedAt&order=asc', ['good', 'poor', 'poorToo', 'unchecked', 'waiting']],
    ['sort=callStartedAt', ['waiting', 'unchecked', 'poorToo', 'poor', 'good']],
    ['q=доставка&sort=score&order=asc', ['poorToo', 'poor', 'unchecked']],
    ['q=доставка&sort=durationSeconds&order=best', ['poor', 'unchecked', 'poorToo']],
    ['scoreBelow=50&sort=score', ['poorToo', 'poor']],
  ]
  for (const [query, expected] of ORDERS) {
    it(`the list with ${query} is ${expected.join(', ')}`, async () => {
      expect(await listNames(query)).to.deep.equal(expected)
      const pages = expected.map((_, n) => listNames(`${query}&pageSize=1&page=${n + 1}`))
      expect((await Promise.all(pages)).flat(), 'page by page').to.deep.equal(expected)
    })
  }

  it('the list rejects an unknown value of sort', async () => {
    const { status, json } = await app.ida.get('/v1/recordings?sort=text')
    expect([status, json.message]).to.deep.equal([
      400,
      ['sort must be one of callStartedAt, durationSeconds, score, phoneNumber, managerName'],
    ])
  })
})
