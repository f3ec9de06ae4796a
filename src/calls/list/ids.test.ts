import { expect } from 'chai'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('ids of listed calls', () => {
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

  const listIds = async (query: string, client = app.olga) =>
    (await client.get(`/v1/recordings/ids?${query}`)).json.ids.map((id: string) => ids.indexOf(id))

  it('the API returns the ids of the filtered calls, newest first', async () => {
    expect(await listIds('')).to.deep.equal([2, 1, 0])
    expect(await listIds('status=FAILED,DONE&manager=max')).to.deep.equal([1, 0])
    expect(await listIds('q=delivery')).to.deep.equal([2, 1])
    expect(await listIds(`ids=${ids[0]},${ids[2]}`)).to.deep.equal([2, 0])
  })

  it('createdUntil excludes calls that were created later', async () => {
    expect(await listIds('createdUntil=2026-03-02T08:00:00Z')).to.deep.equal([1, 0])
  })

  it('a manager gets only the ids of their own calls', async () => {
    expect(await listIds('', await createLoggedInManager(app, 'Max', {}))).to.deep.equal([1, 0])
  })

  it('the filter ids limits the list and its counts', async () => {
    const { items, total } = (await app.olga.get(`/v1/recordings?ids=${ids[1]}`)).json
    expect([items[0].id, total]).to.deep.equal([ids[1], 1])
    expect((await app.olga.get(`/v1/recordings/facets?ids=${ids[1]}`)).json.total).to.equal(1)
  })
})
