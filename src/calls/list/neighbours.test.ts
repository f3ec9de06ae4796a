import { expect } from 'chai'
import { insertCalls, createLoggedInManager, type TestCallRow } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

/** Calls of three days. Some have the same time, and one differs by less than a millisecond. */
const CALLS: TestCallRow[] = [
  ...Array.from({ length: 4 }, (_, n) => ({ at: '2026-03-01T07:00:00.001Z', manager: n % 2 ? 'Max' : 'Anna', text: 'да' })),
  { at: '2026-03-01T07:00:00.0014Z', manager: 'Max', score: 40.3, text: 'доставка завтра' },
  { at: '2026-03-01T07:00:00.002Z', manager: 'Anna', status: 'FAILED' },
  { at: '2026-03-02T23:59:59.999Z', manager: 'Max', score: 40.3, duration: 30, text: 'доставка и доставка' },
  { at: '2026-03-03T00:00:00Z', manager: 'Anna', text: 'нет', score: 0, duration: 30 },
  { createdAt: '2026-03-03T12:00:00Z', manager: 'Max', phone: '+375291234567', status: 'QUEUED' },
] // prettier-ignore

/** Lists whose total comes from counters, from rows, from both, and from searches. */
const LIST_QUERIES = [
  '',
  'order=asc',
  'status=DONE',
  'status=DONE&order=asc',
  'manager=max',
  'manager=max&dateFrom=2026-03-01T07:00:00.001Z&order=asc',
  'dateFrom=2026-03-02',
  'dateFrom=2026-03-01&dateTo=2026-03-03&order=asc',
  'phone=29123',
  'minDurationSeconds=10',
  'createdFrom=2026-01-01T00:00:00Z&createdTo=2026-02-01T00:00:00Z',
  'q=доставка',
  'q=доставка&order=desc',
  'q=доставка&order=asc',
  'manager=nobody',
  'sort=score',
  'sort=score&order=asc',
  'sort=score&order=best&status=DONE',
  'sort=durationSeconds',
  'sort=durationSeconds&order=asc',
  'sort=callStartedAt&order=asc',
  'q=доставка&sort=score&order=asc',
  'manager=max&sort=score',
  'sort=managerName',
  'sort=managerName&order=asc',
  'sort=phoneNumber',
  'sort=phoneNumber&order=asc',
]

describe('position and neighbours of a call in a list', () => {
  let app: TestApp
  let olga: TestClient
  let ids: string[]

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    ids = await insertCalls(app, CALLS)
    olga = app.olga
  })
  after(() => app.stop())

  const neighboursOf = async (id: string, list: string, client = olga) =>
    (await client.get(`/v1/recordings/${id}/neighbours?${list}`)).json

  for (const list of LIST_QUERIES) {
    it(`the API returns the same position and neighbours as the list ${list || 'without filters'}`, async () => {
      const { items, total } = (await olga.get(`/v1/recordings?${list}`)).json
      const listed: string[] = items.map(({ id }: { id: string }) => id)
      expect(total).to.equal(listed.length)
      for (const [at, id] of listed.entries()) {
        expect(await neighboursOf(id, list), `${at}`).to.deep.equal({
          position: at + 1,
          total,
          previous: listed[at - 1] ?? null,
          next: listed[at + 1] ?? null,
        })
      }
      for (const id of ids.filter((id) => !listed.includes(id))) {
        expect(await neighboursOf(id, list)).to.include({ position: null, total })
      }
    })
  }

  it('a call outside the list still has neighbours by time', async () => {
    const [, , , , , failed] = ids
    const { items } = (await olga.get('/v1/recordings?status=DONE')).json
    expect(await neighboursOf(failed!, 'status=DONE')).to.deep.equal({
      position: null,
      total: items.length,
      previous: ids[6],
      next: ids[4],
    })
  })

  it('a manager sees only their own calls as neighbours', async () => {
    const max = await createLoggedInManager(app, 'Max', {})
    const { items, total } = (await max.get('/v1/recordings')).json
    expect(total).to.equal(5)
    expect(await neighboursOf(items[1].id, '', max)).to.deep.equal({
      position: 2,
      total,
      previous: items[0].id,
      next: items[2].id,
    })
    expect((await max.get(`/v1/recordings/${ids[0]}/neighbours`)).status).to.equal(404)
  })

  it('the API rejects an invalid filter of neighbours', async () => {
    const { status, json } = await olga.get(`/v1/recordings/${ids[0]}/neighbours?status=LOST`)
    expect([status, json.message[0]]).to.deep.equal([400, json.message.join()])
    expect(json.message[0]).to.match(/^status /)
  })
})
