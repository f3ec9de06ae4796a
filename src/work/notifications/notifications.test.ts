import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { storeWeeklyReports } from '../../reports/weekly/store-reports.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createLoggedInPerson, createTestPeople, type TestPeople } from '../../test/people.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { notifyAboutWeeklyReport } from './causes.ts'
import { MAX_GROUP_ITEMS, type NotificationGroupJson } from './schema.ts'
import { deleteOldNotifications } from './store.ts'

describe('notifications', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE notifications, notification_settings'))

  const groupsOf = async (client: TestClient, query = ''): Promise<NotificationGroupJson[]> =>
    (await client.get(`/v1/notifications?${query}`)).json.items
  const kindsOf = async (client: TestClient): Promise<string[]> =>
    (await groupsOf(client)).flatMap(({ items }) => items.map(({ kind }) => kind))
  const unreadOf = async (client: TestClient): Promise<number> =>
    (await client.get('/v1/notifications/count')).json.unread

  async function runCheck(id: string): Promise<AnalysisJson> {
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return waitUntil('it is checked', async () => {
      const { json } = await app.olga.get(`/v1/recordings/${id}/analysis`)
      return json.status === 'done' && (json as AnalysisJson)
    })
  }
  async function createCheckedCall(
    more: TestCallRow,
    ...lines: string[]
  ): Promise<{ id: string; found: AnalysisJson }> {
    const [id] = await insertCalls(app, [{ manager: 'Max', ...more }])
    await replaceTranscript(app, id!, makeTurnSegments(...lines))
    return { id: id!, found: await runCheck(id!) }
  }
  const addressOf = (id: string, { findings }: AnalysisJson, key: string) =>
    `/v1/recordings/${id}/analysis/findings/${findings.find(({ rule }) => rule.key === key)!.id}`
  const createCall = async (manager = 'Max') => (await insertCalls(app, [{ manager }]))[0]!
  const comment = (client: TestClient, id: string, more: object = {}) =>
    client.post(`/v1/recordings/${id}/comments`, { at: 1, text: 'Well said', ...more })

  it('a dispute notifies those who can decide, and the decision the person who disputed', async () => {
    const bea = await createLoggedInPerson(app, 'Bea', { role: 'head', departments: [cast.sales], rights: { editRules: false } }) // prettier-ignore
    const sam = await createLoggedInPerson(app, 'Sam', { role: 'head', departments: [cast.support] })
    const { id, found } = await createCheckedCall({}, 'Здравия желаю', 'Да')
    const address = addressOf(id, found, 'greeting')
    await cast.max.post(`${address}/dispute`, { comment: 'I did greet' })
    const [group] = await groupsOf(cast.hanna)
    expect(group!.recording).to.include({ id, managerName: 'Max' })
    expect(group!.items[0]).to.deep.include({
      kind: 'dispute',
      text: 'I did greet',
      actor: { id: cast.max.id, name: 'Max' },
    })
    expect(group!.items[0]!.rule).to.deep.equal({ key: 'greeting', name: { en: 'Greets', ru: 'Поздоровался' } })
    expect([await kindsOf(app.olga), await kindsOf(bea), await kindsOf(cast.max)]).to.deep.equal([['dispute'], [], []])
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [id])
    expect(await kindsOf(sam), 'another department, although the call moved to it later').to.deep.equal([])
    await app.db.query(`UPDATE recordings SET manager_name = 'Max' WHERE id = $1`, [id])
    await cast.hanna.patch(address, { verdict: 'met', comment: 'Agreed' })
    const [answer] = (await groupsOf(cast.max))[0]!.items
    expect(answer).to.deep.include({ kind: 'decision', verdict: 'met', text: 'Agreed', isRead: false })
    expect(await unreadOf(app.olga), 'the dispute is decided').to.equal(0)
    await cast.hanna.post(`${address}/undo`)
    expect(await kindsOf(cast.max), 'the decision is undone').to.deep.equal([])
    expect(await unreadOf(app.olga), 'the dispute waits again').to.equal(1)
  })

  it('a critical miss notifies the heads of the department once, and owners only without a head', async () => {
    const now = new Date().toISOString()
    const { id } = await createCheckedCall({ at: now }, 'Заткнитесь', 'Да')
    await runCheck(id)
    expect(await kindsOf(cast.hanna)).to.deep.equal(['criticalMiss'])
    expect(await kindsOf(app.olga)).to.deep.equal([])
    await createCheckedCall({ at: now, manager: 'Vera' }, 'Заткнитесь', 'Да')
    expect(await kindsOf(app.olga)).to.deep.equal(['criticalMiss'])
    await createCheckedCall({ at: '2026-01-01T10:00:00Z' }, 'Заткнитесь', 'Да')
    expect((await kindsOf(cast.hanna)).length, 'an old call').to.equal(1)
  })

  it('a critical miss that a bulk recheck finds notifies nobody', async () => {
    const [id] = await insertCalls(app, [{ manager: 'Max', at: new Date().toISOString() }])
    await replaceTranscript(app, id!, makeTurnSegments('Заткнитесь', 'Да'))
    expect((await app.olga.post('/v1/bulk-actions', { action: 'recheck', ids: [id] })).status).to.equal(201)
    await waitUntil(
      'it is checked',
      async () => (await app.olga.get(`/v1/recordings/${id}/analysis`)).json.status === 'done',
    )
    expect(await kindsOf(cast.hanna)).to.deep.equal([])
    await runCheck(id!)
    expect(await kindsOf(cast.hanna), 'a single recheck').to.deep.equal(['criticalMiss'])
  })

  it('a comment notifies the manager of the call and the author of the thread, except the writer', async () => {
    const id = await createCall()
    const { json } = await comment(cast.hanna, id)
    expect([await kindsOf(cast.max), await kindsOf(cast.hanna)]).to.deep.equal([['comment'], []])
    await comment(cast.max, id, { replyTo: json.id })
    expect(await kindsOf(cast.hanna)).to.deep.equal(['comment'])
    expect(await kindsOf(cast.max), 'their own reply').to.deep.equal(['comment'])
  })

  it('a mention replaces the notification of the comment, and an edit does not repeat it', async () => {
    const id = await createCall()
    const { json } = await comment(cast.hanna, id, { mentions: [cast.max.id] })
    await cast.hanna.patch(`/v1/recordings/${id}/comments/${json.id}`, { text: 'Great', mentions: [cast.max.id] })
    const [group] = await groupsOf(cast.max)
    expect(group!.items.map(({ kind, text, at }) => [kind, text, at])).to.deep.equal([['mention', 'Great', 1]])
    await cast.hanna.delete(`/v1/recordings/${id}/comments/${json.id}`)
    expect(await groupsOf(cast.max), 'the comment is deleted').to.deep.equal([])
  })

  it('removing a mention deletes its unread notification and keeps a read one', async () => {
    const id = await createCall()
    const { json } = await comment(app.olga, id, { mentions: [cast.max.id, cast.hanna.id] })
    await cast.hanna.post('/v1/notifications/read')
    await app.olga.patch(`/v1/recordings/${id}/comments/${json.id}`, { text: 'Great', mentions: [] })
    expect([await kindsOf(cast.max), await kindsOf(cast.hanna)]).to.deep.equal([[], ['mention']])
  })

  it('groups by call, and marks a call, some or all as read', async () => {
    const [first, second] = [await createCall(), await createCall()]
    for (const id of [first, second, first]) await comment(cast.hanna, id)
    const groups = await groupsOf(cast.max)
    expect(groups.map(({ recording, unread }) => [recording!.id, unread])).to.deep.equal([[first, 2], [second, 1]]) // prettier-ignore
    const read = async (body: object) => (await cast.max.post('/v1/notifications/read', body)).json.unread
    expect(await read({ notificationIds: [groups[0]!.items[0]!.id] })).to.equal(2)
    expect((await groupsOf(cast.max, 'unread=true')).map(({ items }) => items.length)).to.deep.equal([1, 1])
    expect(await read({ recordingId: second })).to.equal(1)
    expect(await read({})).to.equal(0)
    expect((await cast.max.get('/v1/notifications?unread=true')).json.total).to.equal(0)
  })

  it('lists the latest notifications of a call, and counts them all', async () => {
    const id = await createCall()
    for (let n = 0; n <= MAX_GROUP_ITEMS; n++) await comment(cast.hanna, id, { text: `Comment ${n}` })
    const [{ items, ...group }] = (await groupsOf(cast.max)) as [NotificationGroupJson]
    expect(group).to.include({ total: MAX_GROUP_ITEMS + 1, unread: MAX_GROUP_ITEMS + 1 })
    expect([items.length, items[0]!.text, items.at(-1)!.text]).to.deep.equal([MAX_GROUP_ITEMS, 'Comment 20', 'Comment 1']) // prettier-ignore
  })

  it('hides and does not count a call that moved to another manager, and another person’s', async () => {
    const id = await createCall()
    await comment(cast.hanna, id)
    const [{ items }] = (await groupsOf(cast.max)) as [NotificationGroupJson]
    expect((await cast.otto.post('/v1/notifications/read', { notificationIds: [items[0]!.id] })).json.unread).to.equal(
      0,
    )
    expect(await unreadOf(cast.max)).to.equal(1)
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [id])
    expect([await groupsOf(cast.max), await unreadOf(cast.max)]).to.deep.equal([[], 0])
    expect((await cast.max.get('/v1/notifications')).json.total).to.equal(0)
  })

  it('a person who switched a kind off, or who is deactivated, gets none', async () => {
    const settings = (await cast.max.get('/v1/notifications/settings')).json
    expect(Object.values(settings.kinds)).to.deep.equal(Array.from({ length: 8 }, () => true))
    const { json } = await cast.max.put('/v1/notifications/settings', { kinds: { ...settings.kinds, comment: false } })
    expect(json.kinds).to.include({ comment: false, mention: true })
    const id = await createCall()
    await comment(cast.hanna, id)
    expect(await kindsOf(cast.max)).to.deep.equal([])
    await app.db.query('UPDATE people SET active = false WHERE id = $1', [cast.otto.id])
    await comment(app.olga, await createCall('Otto'))
    const { rowCount } = await app.db.query('SELECT FROM notifications WHERE person_id = $1', [cast.otto.id])
    expect(rowCount).to.equal(0)
  })

  it('a weekly report notifies those who see reports once, although it is stored again', async () => {
    const db = await connectDatabase(app.config.DATABASE_URL!, {})
    await app.db.query('UPDATE people SET active = false WHERE id = $1', [cast.otto.id])
    await insertCalls(app, [{ manager: 'Max', at: '2026-03-31T10:00:00Z', createdAt: '2026-03-31T10:00:00Z' }])
    const store = (time: string) =>
      storeWeeklyReports({ db, pool: poolOf(db), config: app.config }, Temporal.Instant.from(time), notifyAboutWeeklyReport) // prettier-ignore
    await store('2026-04-06T12:00:00Z')
    await store('2026-04-06T14:00:00Z')
    await db.destroy()
    const { rowCount } = await app.db.query(
      'SELECT FROM notifications n JOIN people p ON p.id = n.person_id AND NOT p.active',
    )
    expect(rowCount, 'deactivated people').to.equal(0)
    const [group] = await groupsOf(cast.hanna)
    expect([group!.recording, group!.items.map(({ kind, week }) => [kind, week])]).to.deep.equal([
      null,
      [['weeklyReport', '2026-W14']],
    ])
    await app.db.query(`UPDATE people SET rights = rights - 'analytics' WHERE id = $1`, [cast.max.id])
    expect(await groupsOf(cast.max), 'without the permission').to.deep.equal([])
  })

  it('deletes those of a deleted call, and old ones', async () => {
    const [id, other] = [await createCall(), await createCall()]
    await comment(cast.hanna, id)
    await comment(cast.hanna, other)
    await app.olga.delete(`/v1/recordings/${id}`)
    await app.db.query(`UPDATE notifications SET created_at = now() - interval '91 days'`)
    const { rows } = await app.db.query('SELECT recording_id AS id FROM notifications')
    expect(rows).to.deep.equal([{ id: other }])
    const db = await connectDatabase(app.config.DATABASE_URL!, {})
    await deleteOldNotifications({ pool: poolOf(db) } as never)
    await db.destroy()
    expect(await groupsOf(cast.max)).to.deep.equal([])
  })
})
