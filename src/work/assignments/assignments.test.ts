import { expect } from 'chai'
import { auditActionsOf, fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import { insertCheckedCalls } from '../../test/checked-calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { insertAssignment } from '../../test/work-objects.ts'
import { MAX_WAITING_ASSIGNMENTS } from './values.ts'

describe('assignments', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE assignments, notifications; DELETE FROM recordings'))

  const createCall = async (manager = 'Max') => (await insertCalls(app, [{ manager, duration: 60 }]))[0]!
  const assign = (client: TestClient, recordingId: string, more: object = {}) =>
    client.post('/v1/assignments', { recordingId, reason: 'Hear the end', ...more })
  const idsOf = async (client: TestClient, query = '') =>
    (await client.get(`/v1/assignments?${query}`)).json.items.map(({ id }: { id: string }) => id)

  it('the manager of the call gets it with reason and moment, a notification, and marks it as heard', async () => {
    const recordingId = await createCall()
    const { status, json } = await assign(cast.hanna, recordingId, { at: 42 })
    expect(status).to.equal(201)
    expect(json).to.deep.include({ reason: 'Hear the end', at: 42, acknowledgedAt: null })
    expect(json.person).to.deep.equal({ id: cast.max.id, name: 'Max' })
    const [group] = (await cast.max.get('/v1/notifications')).json.items
    expect(group.items[0]).to.include({ kind: 'assignment', text: 'Hear the end', at: 42, assignmentId: json.id })
    expect(await idsOf(cast.max, 'waiting=true')).to.deep.equal([json.id])
    const heard = (await cast.max.post(`/v1/assignments/${json.id}/acknowledge`)).json
    expect(heard.acknowledgedAt).to.be.a('string')
    expect((await cast.max.get('/v1/notifications/count')).json.unread).to.equal(0)
    const again = (await cast.max.post(`/v1/assignments/${json.id}/acknowledge`)).json
    expect(again.acknowledgedAt).to.equal(heard.acknowledgedAt)
    expect([await idsOf(cast.max, 'waiting=true'), await idsOf(cast.max)]).to.deep.equal([[], [json.id]])
    expect([await idsOf(cast.hanna), await idsOf(cast.hanna, 'by=me')]).to.deep.equal([[], [json.id]])
  })

  it('only the manager acknowledges, and only the creator deletes', async () => {
    const { id } = (await assign(cast.hanna, await createCall())).json
    for (const client of [app.olga, cast.hanna, cast.otto])
      expect((await client.post(`/v1/assignments/${id}/acknowledge`)).status).to.equal(404)
    expect((await app.olga.delete(`/v1/assignments/${id}`)).status).to.equal(404)
    expect((await cast.max.delete(`/v1/assignments/${id}`)).status).to.equal(403)
    expect((await cast.hanna.delete(`/v1/assignments/${id}`)).status).to.equal(204)
    expect((await cast.max.get('/v1/notifications')).json.total).to.equal(0)
  })

  it('rejects a call whose manager has no login, an own call, and a second assignment that waits', async () => {
    expect((await assign(cast.hanna, await createCall('Anna'))).status).to.equal(409)
    expect((await assign(cast.hanna, await createCall('Hanna'))).json.message).to.equal('This is your own call')
    const call = await createCall()
    const { id } = (await assign(cast.hanna, call)).json
    expect((await assign(cast.hanna, call)).status).to.equal(409)
    expect((await assign(app.olga, call)).status, 'by another person').to.equal(201)
    await cast.max.post(`/v1/assignments/${id}/acknowledge`)
    expect((await assign(cast.hanna, call)).status, 'once it is heard').to.equal(201)
  })

  it('limits the calls that wait for one manager', async () => {
    const calls = await insertCalls(
      app,
      Array.from({ length: MAX_WAITING_ASSIGNMENTS }, () => ({ manager: 'Max' })),
    )
    for (const call of calls) await insertAssignment(app, call, cast.max.id, cast.hanna.id)
    expect((await assign(app.olga, await createCall())).json.message).to.include(String(MAX_WAITING_ASSIGNMENTS))
  })

  it('rejects a blank reason and a moment after the end', async () => {
    const call = await createCall()
    const messageOf = async (more: object) => (await assign(cast.hanna, call, more)).json.message
    expect(await messageOf({ reason: ' ' })).to.deep.equal(['reason must not be empty'])
    expect(await messageOf({ at: 61 })).to.deep.equal(['at must not be after the end of the call'])
  })

  /** Inserts calls of Max that met or missed the rule next-step, some days before or after now. */
  const insertJudgedCalls = (days: number, verdicts: ('met' | 'missed')[]) =>
    insertCheckedCalls(
      app,
      verdicts.map((verdict) => ({
        manager: 'Max',
        score: 50,
        at: new Date(Date.now() + days * 86_400_000).toISOString(),
        verdicts: { 'next-step': verdict },
      })),
    )

  it('an assignment about a rule shows how calls met it in the four weeks before and after the call was heard', async () => {
    await insertJudgedCalls(-30, ['met', 'met'])
    const [call] = await insertJudgedCalls(-10, ['missed', 'missed', 'met'])
    const { json } = await assign(cast.hanna, call!, { ruleKey: 'next-step' })
    expect(json.rule).to.deep.equal({
      key: 'next-step',
      name: { en: 'Agrees the next step', ru: 'Назначил следующий шаг' },
    })
    expect(json.trend, 'not heard yet').to.equal(null)
    await insertJudgedCalls(8, ['met', 'met', 'missed', 'met'])
    await cast.max.post(`/v1/assignments/${json.id}/acknowledge`)
    await createCall('Otto')
    for (const [client, by] of [
      [cast.max, 'others'],
      [cast.hanna, 'me'],
    ] as const) {
      // prettier-ignore
      const [{ trend }] = (await client.get(`/v1/assignments?by=${by}`)).json.items
      expect([trend.before, trend.since]).to.deep.equal([
        { met: 1, judged: 3 },
        { met: 3, judged: 4 },
      ])
      expect(trend.weeks).to.deep.equal([null, null, 1 / 3, null, null, 0.75, null, null])
    }
  })

  it('the trend stays that of the assignee when the call moves to another manager', async () => {
    const [call] = await insertJudgedCalls(-10, ['missed', 'missed', 'met'])
    const { id } = (await assign(app.olga, call!, { ruleKey: 'next-step' })).json
    await cast.max.post(`/v1/assignments/${id}/acknowledge`)
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [call])
    const [{ trend }] = (await app.olga.get('/v1/assignments?by=me')).json.items
    expect(trend.before).to.deep.equal({ met: 1, judged: 2 })
  })

  it('the rule must be one of the call’s check', async () => {
    const [call] = await insertJudgedCalls(-1, ['missed'])
    const { status, json } = await assign(cast.hanna, call!, { ruleKey: 'nonsense' })
    expect([status, json.message]).to.deep.equal([400, ['ruleKey must be a rule of the call’s check']])
  })

  it('lists the assignments of one call', async () => {
    const [call, other] = [await createCall(), await createCall()]
    const { id } = (await assign(cast.hanna, call)).json
    await assign(cast.hanna, other)
    expect(await idsOf(cast.max, `recordingId=${call}`)).to.deep.equal([id])
    expect(await idsOf(cast.otto, `recordingId=${call}`)).to.deep.equal([])
  })

  it('hides assignments of a call that moved to another manager, and deletes them with the call', async () => {
    const call = await createCall()
    const { id } = (await assign(cast.hanna, call)).json
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [call])
    expect([await idsOf(cast.max), await idsOf(cast.hanna, 'by=me')]).to.deep.equal([[], []])
    expect((await cast.max.post(`/v1/assignments/${id}/acknowledge`)).status).to.equal(404)
    await app.olga.delete(`/v1/recordings/${call}`)
    expect((await app.db.query('SELECT FROM assignments')).rowCount).to.equal(0)
  })

  it('audits each change', async () => {
    const call = await createCall()
    const entries = await fetchNewAuditEntries(app, async () => {
      const { id } = (await assign(cast.hanna, call)).json
      await cast.max.post(`/v1/assignments/${id}/acknowledge`)
      await cast.hanna.delete(`/v1/assignments/${id}`)
    })
    expect(auditActionsOf(entries)).to.deep.equal(['assignment.create', 'assignment.acknowledge', 'assignment.delete'])
    expect(entries.map(({ object }) => object!.id)).to.deep.equal([call, call, call])
  })
})
