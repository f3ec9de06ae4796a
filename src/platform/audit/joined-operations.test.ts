import { expect } from 'chai'
import { generateId } from '../lib/ids.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'

describe('joined audit entries', () => {
  let app: TestApp
  let people: TestPeople
  let call: string
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    people = await createTestPeople(app)
  })
  after(() => app.stop())
  let since: string
  // Each test reads a new call, because repeated reads of one call are not recorded.
  beforeEach(async () => {
    call = (await insertQueuedRecordings(app, 1))[0]!
    await app.db.query(`UPDATE recordings SET manager_name = 'Max' WHERE id = $1`, [call])
    since = new Date().toISOString()
  })

  const listEntries = async (query = '') => {
    const { json } = await app.olga.get(`/v1/audit?pageSize=100&from=${since}${query}`)
    return json as {
      total: number
      items: { action: string; person: { id: string }; operations: { action: string }[] }[]
    }
  }
  const listOperations = async (query = '') =>
    (await listEntries(query)).items.map(({ operations }) => operations.map(({ action }) => action))

  it('the API joins operations of one action under the first change', async () => {
    const headers = { 'X-Action-Id': generateId() }
    await app.olga.get(`/v1/recordings/${call}`, headers)
    await app.olga.post(`/v1/recordings/${call}/cancel`, undefined, headers)
    await app.olga.get(`/v1/recordings/${call}/analysis`, headers)
    const { items } = await listEntries('&action=recording.read')
    expect(items.map(({ action }) => action)).to.deep.equal(['recording.cancel'])
    expect(items[0]!.operations.map(({ action }) => action)).to.deep.equal([
      'recording.read',
      'recording.cancel',
      'analysis.read',
    ])
  })

  it('the read that a page is about names its entry, in any order of the operations', async () => {
    for (const [paths, expected] of [
      [['/v1/departments', '/v1/recordings/facets', '/v1/home'], 'home.read'],
      [['/v1/recordings/catalog', '/v1/recordings/facets', '/v1/recordings'], 'recordings.list'],
      [['/v1/people', `/v1/recordings/${call}`], 'recording.read'],
      [['/v1/people'], 'person.list'],
    ] as const) {
      since = new Date().toISOString()
      const headers = { 'X-Action-Id': generateId() }
      // The query makes each read a new one.
      const query = expected === 'recording.read' || expected === 'home.read' ? '' : `?q=${expected}`
      for (const path of paths) await people.hanna.get(`${path}${path === '/v1/home' ? '' : query}`, headers)
      const { items } = await listEntries(`&person=${people.hanna.id}`)
      expect(items.map(({ action }) => action)).to.deep.equal([expected])
    }
  })

  it('a list of calls does not name the entry of another page', async () => {
    const headers = { 'X-Action-Id': generateId() }
    await app.olga.get(`/v1/recordings/${call}/analysis`, headers)
    await app.olga.get('/v1/recordings?phone=123', headers)
    expect((await listEntries()).items.map(({ action }) => action)).to.deep.equal(['analysis.read'])
  })

  it('a filter finds joined operations by any of them, as one entry', async () => {
    const headers = { 'X-Action-Id': generateId() }
    await app.olga.get(`/v1/recordings/${call}`, headers)
    await app.olga.get('/v1/recordings?q=van', headers)

    for (const [filter, expected] of [
      ['&action=recording.read', 1],
      ['&action=recordings.list', 1],
      ['&action=recording.read,recordings.list', 1],
      [`&object=${call}`, 1],
    ] as const) {
      const { total, items } = await listEntries(filter)
      expect([total, items.length], filter).to.deep.equal([expected, expected])
    }
  })

  it('operations of two people stay separate entries with the same action id', async () => {
    const headers = { 'X-Action-Id': generateId() }
    await app.olga.get(`/v1/recordings/${call}`, headers)
    await people.max.get(`/v1/recordings/${call}`, headers)
    const { items } = await listEntries('&action=recording.read')
    const olgaId = (await app.olga.get('/v1/auth/me')).json.person.id
    expect(items.map(({ person }) => person.id)).to.have.members([olgaId, people.max.id])
    expect(items.every(({ operations }) => operations.length === 1)).to.equal(true)
  })

  it('operations of a key or with an invalid action id stay separate entries', async () => {
    const [one, other] = await insertQueuedRecordings(app, 2)
    const headers = { 'X-Action-Id': generateId() }
    for (const id of [one, other]) await app.ida.post(`/v1/recordings/${id}/cancel`, undefined, headers)
    expect(await listOperations('&action=recording.cancel')).to.deep.equal([['recording.cancel'], ['recording.cancel']])
    for (const id of [one, other])
      await app.olga.post(`/v1/recordings/${id}/retry`, undefined, { 'X-Action-Id': 'mine' })
    expect(await listOperations('&action=recording.retry')).to.deep.equal([['recording.retry'], ['recording.retry']])
  })
})
