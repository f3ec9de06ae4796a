import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('search for words and managers', () => {
  let app: TestApp
  let ids: string[]
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    ids = await insertCalls(app, [
      { at: '2026-03-01T07:00:00Z', manager: 'Anna Hill', text: 'your delivery is late' },
      { at: '2026-03-02T07:00:00Z', manager: 'Anna Hill', text: 'good afternoon' },
      { at: '2026-03-03T07:00:00Z', manager: 'Max Hill', text: 'deliveries are late' },
      { at: '2026-03-04T07:00:00Z', manager: 'Max Hill', text: 'Anna will call about the delivery' },
      { at: '2026-03-05T07:00:00Z', manager: 'Алёна Ёлкина', text: 'доставка завтра' },
    ])
  })
  after(() => app.stop())

  const SEARCHES: [q: string, expected: number[]][] = [
    ['late anna', [0]],
    ['Anna Hill delivery', [0]],
    ['hill late', [2, 0]],
    ['delivery anna', [0, 3]],
    ['доставка елкина', [4]],
    ['late елкина', []],
    ['"late" anna', []],
    ['late anna -delivery', []],
  ]
  for (const [q, expected] of SEARCHES) {
    it(`the search ${q} finds ${expected.length} ${expected.length === 1 ? 'call' : 'calls'}`, async () => {
      const { items } = (await app.ida.get(`/v1/recordings?q=${encodeURIComponent(q)}`)).json
      expect(items.map(({ id }: { id: string }) => ids.indexOf(id))).to.have.members(expected)
    })
  }

  it('the search lists calls of the manager before texts with the name', async () => {
    const { items } = (await app.ida.get('/v1/recordings?q=delivery%20anna')).json
    expect(items[0].id).to.equal(ids[0])
  })
})
