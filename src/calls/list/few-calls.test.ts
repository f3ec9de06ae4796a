import { expect } from 'chai'
import { insertCalls, type CallRow } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('calls by digits of their phone', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    // 10,200 of one area, which are not few, and 300 of another; many at the same moment, in no order.
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + ((n * 7919) % 3500) * 60_000).toISOString()
    const call = (n: number): CallRow => ({
      at: at(n),
      phone: `${n < 10_200 ? '4411' : '3522'}${100_000 + n}`,
      status: 'FAILED',
      source: n % 3 === 0 ? 'crm' : 'url',
    })
    await insertCalls(
      app,
      Array.from({ length: 10_500 }, (_, n) => call(n)),
    )
  })
  after(() => app.stop())

  for (const [filter, condition] of [
    ['phone=4411', "phone_number LIKE '%4411%'"],
    ['phone=3522', "phone_number LIKE '%3522%'"],
    ['phone=3522&source=crm', "phone_number LIKE '%3522%' AND source = 'crm'"],
    ['phone=9999999', 'false'],
  ]) {
    it(`are counted, and are on each page, as reading all of them would give: ${filter}`, async () => {
      for (const order of ['asc', 'desc']) {
        const { rows } = await app.db.query(
          `SELECT id FROM recordings WHERE ${condition} ORDER BY call_at ${order}, id ${order}`,
        )
        const all = rows.map(({ id }) => id as string)
        for (const page of [1, 2, Math.ceil(all.length / 40), Math.ceil(all.length / 40) + 1]) {
          const { json } = await app.ida.get(`/v1/recordings?${filter}&order=${order}&pageSize=40&page=${page || 1}`)
          expect(json.total).to.equal(all.length)
          const ids = json.items.map(({ id }: { id: string }) => id)
          expect(ids, `page ${page}, ${order}`).to.deep.equal(all.slice(((page || 1) - 1) * 40, (page || 1) * 40))
        }
      }
    })
  }
})
