import { expect } from 'chai'
import { auditActionsOf, fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import type { Core } from '../../platform/core.ts'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { insertShared } from '../../test/work-objects.ts'
import { waitUntil } from '../../test/wait.ts'
import type { NotificationGroupJson } from '../notifications/schema.ts'
import { insertViewCandidate, notifyAboutEnteredViews } from './entered-views.ts'
import { MAX_SUBSCRIPTIONS } from './values.ts'

describe('subscriptions of views', () => {
  let app: TestApp
  let cast: TestPeople
  let core: Core
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    const db = await connectDatabase(app.config.DATABASE_URL!, {})
    core = { db, pool: poolOf(db), config: app.config, log: createLogger('silent', 'test') } as Core
  })
  after(async () => {
    await core.db.destroy()
    await app.stop()
  })
  beforeEach(() => app.db.query('TRUNCATE saved_views, view_candidates CASCADE'))

  const subscribe = (client: TestClient, view: string) =>
    client.send(`/v1/views/${view}/subscription`, { method: 'PUT' })
  async function createView(client: TestClient, filters: object = {}, departmentId?: string): Promise<string> {
    return (await client.post('/v1/views', { name: 'Below 50', filters, departmentId })).json.id
  }
  async function createSubscribedView(client: TestClient, filters: object = {}): Promise<string> {
    const id = await createView(client, filters)
    await subscribe(client, id)
    return id
  }
  /** Inserts calls of now and compares them with the views as if their transcripts had just been stored. */
  async function enterCalls(...rows: TestCallRow[]): Promise<string[]> {
    const ids = await insertCalls(app, rows.map((row) => ({ at: new Date().toISOString(), ...row }))) // prettier-ignore
    await compareAgain(...ids)
    return ids
  }
  async function compareAgain(...ids: string[]): Promise<void> {
    for (const id of ids) await insertViewCandidate(core.pool, id)
    await notifyAboutEnteredViews(core)
  }
  async function callsOf(client: TestClient): Promise<(string | undefined)[]> {
    const groups: NotificationGroupJson[] = (await client.get('/v1/notifications?pageSize=100')).json.items
    return groups.filter(({ items }) => items.some(({ kind }) => kind === 'view')).map((one) => one.recording?.id)
  }
  const countRows = async (table: string): Promise<number> =>
    (await app.db.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n

  it('a person subscribes for themselves, and the view says so', async () => {
    const id = await createView(cast.hanna, {}, cast.sales)
    const entries = await fetchNewAuditEntries(app, async () => {
      for (let n = 0; n < 2; n++) expect((await subscribe(cast.max, id)).status).to.equal(204)
    })
    expect(auditActionsOf(entries)).to.deep.equal(['view.subscribe'])
    const isSubscribed = async (client: TestClient) => (await client.get('/v1/views')).json.items[0].isSubscribed
    expect([await isSubscribed(cast.max), await isSubscribed(cast.hanna)]).to.deep.equal([true, false])
    expect((await cast.max.delete(`/v1/views/${id}/subscription`)).status).to.equal(204)
    expect(await isSubscribed(cast.max)).to.equal(false)
  })

  it('limits the subscriptions of a person', async () => {
    for (let n = 0; n < MAX_SUBSCRIPTIONS; n++)
      await subscribe(cast.max, await insertShared(app, 'saved_views', cast.max.id))
    const { status, json } = await subscribe(cast.max, await insertShared(app, 'saved_views', cast.max.id))
    expect([status, json.message]).to.deep.equal([409, 'You can subscribe to at most 10 views. Unsubscribe from one first']) // prettier-ignore
  })

  it('a call outside the period of a view does not notify', async () => {
    await createSubscribedView(cast.hanna, { period: 'lastMonth' })
    await enterCalls({ manager: 'Anna' })
    expect(await callsOf(cast.hanna)).to.deep.equal([])
    await createSubscribedView(cast.hanna, { period: 'last7Days' })
    const [id] = await enterCalls({ manager: 'Anna' })
    expect(await callsOf(cast.hanna)).to.deep.equal([id])
  })

  it('a call that matches notifies each subscriber once, with the name of the view', async () => {
    const view = await createSubscribedView(cast.hanna, { scoreBelow: '50' })
    const [low] = await enterCalls({ manager: 'Max', score: 40 }, { manager: 'Max', score: 60 })
    expect(await callsOf(cast.hanna)).to.deep.equal([low])
    await compareAgain(low!)
    const [group] = (await cast.hanna.get('/v1/notifications')).json.items
    expect(group.items).to.have.length(1)
    expect(group.items[0]).to.deep.include({ kind: 'view', view: { id: view, name: 'Below 50' }, actor: null })
    expect(await callsOf(cast.max)).to.deep.equal([])
  })

  it('notifies only of calls that the subscriber sees', async () => {
    for (const client of [cast.max, cast.hanna, cast.otto, app.olga]) await createSubscribedView(client)
    const [max, anna] = await enterCalls({ manager: 'Max' }, { manager: 'Anna' })
    const viewers = [cast.max, cast.hanna, cast.otto, app.olga]
    const seen = await Promise.all(viewers.map(callsOf))
    expect(seen.map((ids) => [ids.includes(max), ids.includes(anna), ids.length])).to.deep.equal([
      [true, false, 1],
      [true, true, 2],
      [false, false, 0],
      [true, true, 2],
    ])
  })

  it('calls that started before the subscription notify nobody', async () => {
    await createSubscribedView(cast.hanna)
    const [old] = await enterCalls({ manager: 'Max', at: '2026-01-01T10:00:00Z' })
    expect(await callsOf(cast.hanna)).not.to.include(old)
    expect(await countRows('view_candidates')).to.equal(0)
  })

  it('a search finds the words of the new call', async () => {
    await createSubscribedView(cast.hanna, { q: 'discount' })
    const [said] = await enterCalls({ manager: 'Max', text: 'There is a discount today' }, { manager: 'Max', text: 'Good morning' }) // prettier-ignore
    expect(await callsOf(cast.hanna)).to.deep.equal([said])
  })

  it('notifies nobody who lost the view, and hides its name from them', async () => {
    const view = await createView(cast.hanna, {}, cast.sales)
    await subscribe(cast.max, view)
    await enterCalls({ manager: 'Max' })
    expect(await callsOf(cast.max)).to.have.length(1)
    await cast.hanna.patch(`/v1/views/${view}`, { departmentId: null })
    await enterCalls({ manager: 'Max' })
    expect(await callsOf(cast.max)).to.deep.equal([])
    expect((await cast.max.get('/v1/notifications/count')).json.unread).to.equal(0)
    expect(await countRows('notifications')).to.equal(1)
  })

  it('filters that a later release rejects stop no other view', async () => {
    const broken = await createSubscribedView(cast.hanna)
    await app.db.query(`UPDATE saved_views SET filters = '{"gone": "1"}' WHERE id = $1`, [broken])
    await createSubscribedView(cast.max)
    const [call] = await enterCalls({ manager: 'Max' })
    expect([await callsOf(cast.max), await callsOf(cast.hanna)]).to.deep.equal([[call], []])
  })

  it('a subscription that fails stops no other', async () => {
    const broken = await createSubscribedView(cast.hanna)
    for (const client of [cast.max, app.olga]) await createSubscribedView(client)
    await app.db.query(`ALTER TABLE notifications ADD CONSTRAINT broken CHECK (view_id <> '${broken}') NOT VALID`)
    const [call] = await enterCalls({ manager: 'Max' })
    await app.db.query('ALTER TABLE notifications DROP CONSTRAINT broken')
    expect([await callsOf(cast.max), await callsOf(app.olga), await callsOf(cast.hanna)]).to.deep.equal([[call], [call], []]) // prettier-ignore
  })

  it('deleting the view deletes subscriptions and notifications', async () => {
    const view = await createSubscribedView(cast.hanna)
    await enterCalls({ manager: 'Max' })
    await cast.hanna.delete(`/v1/views/${view}`)
    expect([await countRows('view_subscriptions'), await countRows('notifications')]).to.deep.equal([0, 0])
  })

  it('two processes notify of each call once, and an aborted batch is repeated', async () => {
    await createSubscribedView(cast.hanna)
    const rows = Array.from({ length: 20 }, () => ({ manager: 'Max', at: new Date().toISOString() }))
    for (const id of await insertCalls(app, rows)) await insertViewCandidate(core.pool, id)
    await app.db.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken' USING ERRCODE = '40P01'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION fail()`)
    await notifyAboutEnteredViews(core).catch(() => undefined)
    await app.db.query('DROP FUNCTION fail CASCADE')
    expect(await countRows('view_candidates'), 'kept').to.equal(20)
    await Promise.all([notifyAboutEnteredViews(core), notifyAboutEnteredViews(core)])
    expect([await countRows('view_candidates'), await countRows('notifications')]).to.deep.equal([0, 20])
  })
})

describe('subscriptions of views, with workers', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())

  it('a finished check and a corrected call enter a view', async () => {
    const { id } = (await cast.hanna.post('/v1/views', { name: 'Scored', filters: { scoreFrom: '0' } })).json
    await cast.hanna.send(`/v1/views/${id}/subscription`, { method: 'PUT' })
    const calls = async (): Promise<string[]> =>
      (await cast.hanna.get('/v1/notifications')).json.items.map((one: NotificationGroupJson) => one.recording?.id)
    const now = new Date().toISOString()
    const [max, otto] = await insertCalls(app, [{ manager: 'Max', at: now }, { manager: 'Otto', at: now }]) // prettier-ignore
    for (const call of [max!, otto!]) {
      await replaceTranscript(app, call, makeTurnSegments('Здравствуйте', 'Да'))
      await app.olga.post(`/v1/recordings/${call}/analysis/rerun`)
    }
    await waitUntil('the check notifies', async () => (await calls()).includes(max!))
    await waitUntil('both are checked', async () => (await app.olga.get('/v1/recordings?scoreFrom=0')).json.total === 2)
    expect(await calls()).to.deep.equal([max])
    await app.olga.patch(`/v1/recordings/${otto}`, { managerName: 'Anna' })
    await waitUntil('the correction notifies', async () => (await calls()).includes(otto!))
  })
})
