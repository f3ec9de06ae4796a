import { expect } from 'chai'
import { auditActionsOf, fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { insertPlaylistItem, insertShared } from '../../test/work-objects.ts'
import { MAX_PLAYLIST_CALLS, MAX_PLAYLISTS } from './values.ts'

describe('playlists', () => {
  let app: TestApp
  let cast: TestPeople
  let calls: { max: string; anna: string; otto: string }
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())
  beforeEach(async () => {
    await app.db.query('TRUNCATE playlists CASCADE')
    const [max, anna, otto] = await insertCalls(app, [
      { manager: 'Max', duration: 60, score: 90 },
      { manager: 'Anna' },
      { manager: 'Otto' },
    ])
    calls = { max: max!, anna: anna!, otto: otto! }
  })

  const create = async (client: TestClient, more: object = {}): Promise<string> =>
    (await client.post('/v1/playlists', { name: 'Best objections', ...more })).json.id
  const add = (client: TestClient, playlist: string, recordingId: string, more: object = {}) =>
    client.post(`/v1/playlists/${playlist}/items`, { recordingId, ...more })
  const callsOf = async (client: TestClient, playlist: string): Promise<string[]> =>
    (await client.get(`/v1/playlists/${playlist}`)).json.items.map(
      (one: { recording: { id: string } }) => one.recording.id,
    )

  it('plays calls in the order in which they were added, from a moment, with a note', async () => {
    const id = await create(cast.hanna)
    await add(cast.hanna, id, calls.anna)
    const { status, json } = await add(cast.hanna, id, calls.max, { at: 42.5, note: 'Too expensive' })
    expect(status).to.equal(201)
    expect(json).to.deep.include({ at: 42.5, note: 'Too expensive', score: 90, durationSeconds: 60, hasAudio: true })
    expect(await callsOf(cast.hanna, id)).to.deep.equal([calls.anna, calls.max])
    await cast.hanna.delete(`/v1/playlists/${id}/items/${calls.anna}`)
    await add(cast.hanna, id, calls.anna)
    expect(await callsOf(cast.hanna, id)).to.deep.equal([calls.max, calls.anna])
  })

  it('omits and does not count calls that the viewer does not see', async () => {
    const id = await create(app.olga, { departmentId: cast.sales })
    for (const call of Object.values(calls)) await add(app.olga, id, call)
    expect((await callsOf(app.olga, id)).length).to.equal(3)
    expect(await callsOf(cast.hanna, id)).to.deep.equal([calls.max, calls.anna])
    expect(await callsOf(cast.max, id)).to.deep.equal([calls.max])
    const countFor = async (client: TestClient) => (await client.get('/v1/playlists')).json.items[0].calls
    expect([await countFor(app.olga), await countFor(cast.hanna), await countFor(cast.max)]).to.deep.equal([3, 2, 1])
    expect((await cast.hanna.delete(`/v1/playlists/${id}/items/${calls.otto}`)).status, 'unseen').to.equal(404)
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [calls.max])
    expect(await callsOf(cast.max, id), 'moved').to.deep.equal([])
  })

  it('is ordered as a person chooses, with hidden calls in their places and new ones last', async () => {
    const id = await create(app.olga, { departmentId: cast.sales })
    const order = (client: TestClient, ...recordingIds: string[]) =>
      client.put(`/v1/playlists/${id}/order`, { recordingIds })
    for (const call of [calls.max, calls.otto, calls.anna]) await add(app.olga, id, call)
    expect((await order(cast.hanna, calls.anna, calls.max)).status).to.equal(204)
    expect(await callsOf(app.olga, id)).to.deep.equal([calls.anna, calls.otto, calls.max])
    const [late] = await insertCalls(app, [{ manager: 'Max' }])
    await add(app.olga, id, late!)
    expect(await callsOf(app.olga, id)).to.deep.equal([calls.anna, calls.otto, calls.max, late])
    expect((await order(cast.hanna, late!, calls.max, calls.anna)).status).to.equal(204)
    expect(await callsOf(app.olga, id)).to.deep.equal([late, calls.otto, calls.max, calls.anna])
    expect((await order(cast.max, calls.max)).status, 'no head').to.equal(404)
  })

  it('rejects an order of other calls than those that the person sees', async () => {
    const id = await create(app.olga, { departmentId: cast.sales })
    for (const call of [calls.max, calls.otto, calls.anna]) await add(app.olga, id, call)
    const hidden = [calls.max, calls.otto, calls.anna]
    for (const recordingIds of [[calls.max], [calls.max, calls.max], hidden, [calls.max, calls.otto]]) {
      const { status } = await cast.hanna.put(`/v1/playlists/${id}/order`, { recordingIds })
      expect(status).to.equal(409)
    }
  })

  it('lists the playlists that contain a call, if the viewer sees the call', async () => {
    const id = await create(app.olga, { departmentId: cast.sales })
    await create(app.olga, { departmentId: cast.sales, name: 'Empty' })
    await add(app.olga, id, calls.otto)
    const containing = async (client: TestClient) =>
      (await client.get(`/v1/playlists?recordingId=${calls.otto}`)).json.items.map((one: { id: string }) => one.id)
    expect([await containing(app.olga), await containing(cast.hanna)]).to.deep.equal([[id], []])
  })

  it('lists playlists without counting their calls', async () => {
    await add(app.olga, await create(app.olga), calls.max)
    const list = async (query: string) =>
      (await app.olga.get(`/v1/playlists${query}`)).json.items.map((one: { calls: number | null }) => one.calls)
    expect([await list(''), await list('?counts=false')]).to.deep.equal([[1], [null]])
  })

  it('is changed by its author and, if shared, by heads and owners', async () => {
    const shared = await create(cast.hanna, { departmentId: cast.sales })
    expect((await add(cast.max, shared, calls.max)).status).to.equal(404)
    expect((await add(app.olga, shared, calls.max)).status).to.equal(201)
    const own = await create(cast.max)
    expect((await add(cast.max, own, calls.max)).status).to.equal(201)
    for (const client of [cast.hanna, app.olga]) {
      expect((await client.get(`/v1/playlists/${own}`)).status).to.equal(404)
      expect((await client.delete(`/v1/playlists/${own}`)).status).to.equal(404)
    }
    const { json } = await cast.max.patch(`/v1/playlists/${own}`, { departmentId: cast.sales, name: 'Ours' })
    expect(json).to.include({ name: 'Ours', department: 'Sales' })
    expect((await cast.hanna.patch(`/v1/playlists/${own}`, { departmentId: null })).status, 'not the author').to.equal(
      400,
    )
    expect((await cast.hanna.delete(`/v1/playlists/${own}`)).status).to.equal(204)
  })

  it('rejects a call twice, a foreign call and a moment after the end', async () => {
    const id = await create(cast.hanna)
    expect((await add(cast.hanna, id, calls.otto)).status).to.equal(404)
    expect((await add(cast.hanna, id, calls.max, { at: 61 })).status).to.equal(400)
    await add(cast.hanna, id, calls.max)
    const { status, json } = await add(cast.hanna, id, calls.max)
    expect([status, json.message]).to.deep.equal([409, 'The call is already in the playlist'])
  })

  it('limits the playlists of a person and the calls of a playlist', async () => {
    const id = await create(cast.hanna)
    const many = await insertCalls(
      app,
      Array.from({ length: MAX_PLAYLIST_CALLS }, () => ({ manager: 'Max', status: 'QUEUED' })),
    )
    for (const call of many) await insertPlaylistItem(app, id, call, cast.hanna.id)
    expect((await add(cast.hanna, id, calls.max)).status).to.equal(409)
    for (let n = 0; n < MAX_PLAYLISTS; n++) await insertShared(app, 'playlists', cast.max.id)
    expect((await cast.max.post('/v1/playlists', { name: 'One more' })).status).to.equal(409)
  })

  it('loses deleted calls, and audits each change', async () => {
    const entries = await fetchNewAuditEntries(app, async () => {
      const id = await create(cast.hanna)
      await add(cast.hanna, id, calls.max)
      await add(cast.hanna, id, calls.anna)
      await cast.hanna.delete(`/v1/playlists/${id}/items/${calls.anna}`)
      await cast.hanna.put(`/v1/playlists/${id}/order`, { recordingIds: [calls.max] })
      await cast.hanna.patch(`/v1/playlists/${id}`, { name: 'Other' })
      await app.olga.delete(`/v1/recordings/${calls.max}`)
      expect(await callsOf(cast.hanna, id)).to.deep.equal([])
      await cast.hanna.delete(`/v1/playlists/${id}`)
    })
    expect(auditActionsOf(entries).filter((action) => action.startsWith('playlist.'))).to.deep.equal([
      'playlist.create',
      'playlist.add',
      'playlist.add',
      'playlist.remove',
      'playlist.order',
      'playlist.change',
      'playlist.read',
      'playlist.delete',
    ])
  })
})
