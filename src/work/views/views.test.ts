import { expect } from 'chai'
import { auditActionsOf, fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createLoggedInPerson, createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { insertShared } from '../../test/work-objects.ts'
import { MAX_VIEWS } from './values.ts'

describe('saved views', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    await insertCalls(app, [
      { manager: 'Max', score: 40 },
      { manager: 'Anna', score: 30 },
      { manager: 'Anna', score: 90 },
      { manager: 'Otto', score: 20 },
    ])
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE saved_views CASCADE'))

  const create = (client: TestClient, more: object = {}) =>
    client.post('/v1/views', { name: 'Below 50', filters: { scoreBelow: '50', sort: 'score' }, ...more })
  const namesOf = async (client: TestClient) =>
    (await client.get('/v1/views')).json.items.map(({ name }: { name: string }) => name)
  const countOf = async (client: TestClient, id: string) => (await client.get(`/v1/views/${id}/count`)).json.count

  it('keeps filters and order under a name, private by default', async () => {
    const { status, json } = await create(cast.hanna)
    expect(status).to.equal(201)
    expect(json).to.deep.include({
      name: 'Below 50',
      filters: { scoreBelow: '50', sort: 'score' },
      departmentId: null,
      canChange: true,
    })
    expect([await namesOf(cast.hanna), await namesOf(cast.max), await namesOf(app.olga)]).to.deep.equal([
      ['Below 50'],
      [],
      [],
    ])
  })

  it('a shared view is seen by the department and owners, and changed by its author, heads and owners', async () => {
    const bob = await createLoggedInPerson(app, 'Bob', { departments: [cast.sales] })
    const { id } = (await create(cast.max, { departmentId: cast.sales })).json
    for (const client of [cast.max, bob, cast.hanna, app.olga])
      expect(await namesOf(client)).to.deep.equal(['Below 50'])
    expect(await namesOf(cast.otto)).to.deep.equal([])
    const rename = async (client: TestClient) => (await client.patch(`/v1/views/${id}`, { name: 'Low' })).status
    expect([await rename(bob), await rename(cast.hanna), await rename(app.olga)]).to.deep.equal([404, 200, 200])
    expect((await bob.get('/v1/views')).json.items[0].canChange).to.equal(false)
    expect((await bob.delete(`/v1/views/${id}`)).status).to.equal(404)
    expect((await cast.max.delete(`/v1/views/${id}`)).status).to.equal(204)
  })

  it('only the author can make a shared view private', async () => {
    const { id } = (await create(cast.max, { departmentId: cast.sales })).json
    const makePrivate = (client: TestClient) => client.patch(`/v1/views/${id}`, { departmentId: null })
    const { status, json } = await makePrivate(cast.hanna)
    expect([status, json.message]).to.deep.equal([400, ['departmentId can be set to null only by the author']])
    expect([(await makePrivate(app.olga)).status, (await makePrivate(cast.max)).status]).to.deep.equal([400, 200])
  })

  it('becomes private when its department is deleted', async () => {
    const { id } = (await app.olga.post('/v1/departments', { name: 'Export' })).json
    await create(app.olga, { departmentId: id })
    await app.olga.delete(`/v1/departments/${id}`)
    expect((await app.olga.get('/v1/views')).json.items[0].departmentId).to.equal(null)
  })

  it('a limited list has the person’s own views first', async () => {
    await create(app.olga, { name: 'A', departmentId: cast.sales })
    for (const name of ['C', 'B']) await create(cast.max, { name })
    const limited = async (limit: number) =>
      (await cast.max.get(`/v1/views?limit=${limit}`)).json.items.map(({ name }: { name: string }) => name)
    expect([await namesOf(cast.max), await limited(2), await limited(3)]).to.deep.equal([
      ['A', 'B', 'C'],
      ['B', 'C'],
      ['B', 'C', 'A'],
    ])
  })

  it('cannot be shared with another department', async () => {
    const { status, json } = await create(cast.max, { departmentId: cast.support })
    expect([status, json.message]).to.deep.equal([400, ['departmentId must be one of your departments']])
  })

  it('a shared view names only managers, phones, deals and calls of its department', async () => {
    const [otto] = await insertCalls(app, [{ manager: 'Otto', phone: '+74955550177', externalCallId: 'pbx-9' }])
    for (const filters of [
      { manager: 'Anna|Otto' },
      { phone: '5550177' },
      { externalCallId: 'pbx-9' },
      { ids: otto! },
      { deal: '7' },
    ]) {
      const { status, json } = await create(app.olga, { filters, departmentId: cast.sales })
      const [name] = Object.keys(filters)
      expect([status, json.message]).to.deep.equal([
        400,
        [`departmentId must be a department with calls that match the filter ${name}`],
      ])
      const { id } = (await create(app.olga, { filters })).json
      const share = await app.olga.patch(`/v1/views/${id}`, { departmentId: cast.sales })
      expect(share.status, `share ${name}`).to.equal(400)
    }
    const { status, json } = await create(app.olga, { filters: { manager: 'Anna|Max|""' }, departmentId: cast.sales })
    expect(status).to.equal(201)
    const change = async (filters: object) => (await cast.hanna.patch(`/v1/views/${json.id}`, { filters })).status
    expect([await change({ manager: 'Otto' }), await change({ manager: 'Max' })]).to.deep.equal([400, 200])
  })

  it('rejects filters that the list rejects, naming each', async () => {
    const { status, json } = await create(cast.max, { filters: { scoreBelow: 'low', page: '2', sort: 'name' } })
    expect(status).to.equal(400)
    expect(json.message.map((text: string) => text.split(' ')[0])).to.have.members([
      'filters.scoreBelow',
      'filters.page',
      'filters.sort',
    ])
  })

  it('counts the calls that the viewer sees, as the list does', async () => {
    const { id } = (await create(app.olga, { departmentId: cast.sales })).json
    expect([await countOf(app.olga, id), await countOf(cast.hanna, id), await countOf(cast.max, id)]).to.deep.equal([
      3, 2, 1,
    ])
  })

  it('a view with a period loses its calls when the period has passed', async () => {
    const [id] = await insertCalls(app, [{ manager: 'Anna', at: new Date().toISOString() }])
    const view = await create(cast.hanna, { filters: { period: 'last7Days' }, departmentId: cast.sales })
    expect(await countOf(cast.hanna, view.json.id)).to.equal(1)
    await app.db.query(`UPDATE recordings SET call_started_at = call_started_at - interval '7 days' WHERE id = $1`, [
      id,
    ])
    // The count of another person is not cached.
    expect(await countOf(app.olga, view.json.id)).to.equal(0)
    expect(view.json.filters).to.deep.equal({ period: 'last7Days' })
  })

  it('keeps a count for a minute, but not after a change of the filters or of the viewer’s access', async () => {
    const { id } = (await create(cast.hanna, { filters: { scoreBelow: '60' } })).json
    expect(await countOf(cast.hanna, id)).to.equal(2)
    await insertCalls(app, [{ manager: 'Anna', score: 55 }])
    expect(await countOf(cast.hanna, id)).to.equal(2)
    await app.olga.patch(`/v1/departments/${cast.sales}`, { managers: [] })
    expect(await countOf(cast.hanna, id), 'without Anna').to.equal(1)
    await cast.hanna.patch(`/v1/views/${id}`, { filters: { scoreBelow: '35' } })
    expect(await countOf(cast.hanna, id)).to.equal(0)
  })

  it('limits the views of a person', async () => {
    for (let n = 0; n < MAX_VIEWS; n++) await insertShared(app, 'saved_views', cast.max.id)
    expect((await create(cast.max)).status).to.equal(409)
  })

  it('audits each change without its filters', async () => {
    const entries = await fetchNewAuditEntries(app, async () => {
      const { id } = (await create(cast.max, { filters: { phone: '5550199' } })).json
      await cast.max.patch(`/v1/views/${id}`, { name: 'Other' })
      await cast.max.delete(`/v1/views/${id}`)
    })
    expect(auditActionsOf(entries)).to.deep.equal(['view.create', 'view.change', 'view.delete'])
    expect(JSON.stringify(entries)).not.to.include('5550199')
  })
})
