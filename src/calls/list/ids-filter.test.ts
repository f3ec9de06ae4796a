import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('the filter ids', () => {
  let app: TestApp
  let ids: string[]
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    ids = await insertCalls(app, [
      { at: '2026-03-01T07:00:00Z', manager: 'Max', status: 'FAILED', createdAt: '2026-03-01T08:00:00Z' },
      { at: '2026-03-02T07:00:00Z', manager: 'Max', text: 'delivery', createdAt: '2026-03-02T08:00:00Z' },
      { at: '2026-03-03T07:00:00Z', manager: 'Anna', text: 'delivery', createdAt: '2026-03-03T08:00:00Z' },
    ])
  })
  after(() => app.stop())

  it('limits the list and its counts', async () => {
    const { items, total } = (await app.olga.get(`/v1/recordings?ids=${ids[1]}`)).json
    expect([items[0].id, total]).to.deep.equal([ids[1], 1])
    expect((await app.olga.get(`/v1/recordings/facets?ids=${ids[1]}`)).json.total).to.equal(1)
  })
})
