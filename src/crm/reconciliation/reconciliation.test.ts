import { expect } from 'chai'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('reconciliation with the CRM', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Moscow' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  it('every portal call of a day and manager counts in exactly one state', async () => {
    await app.db.query(`INSERT INTO managers (id, name, crm_user_id) VALUES ($1, 'Anna Kovaleva', '1')`, [generateId()])
    await app.db.query(`INSERT INTO crm_users (id, name, active) VALUES ('2', 'Boris Orlov', true)`)
    const calls: [state: string, reason: string | null, status: string | null][] = [
      ['received', null, 'DONE'],
      ['received', null, 'DONE'],
      ['received', null, 'FAILED'],
      ['received', null, 'CANCELLED'],
      ['received', null, 'QUEUED'],
      ['received', null, 'PROCESSING'],
      ['received', null, null],
      ['skipped', 'short', null],
      ['skipped', 'unanswered', null],
      ['skipped', 'unanswered', null],
      ['doubled', null, null],
      ['awaiting-file', null, null],
      ['waiting', null, null],
      ['failed', null, null],
    ]
    let id = 0
    const add = async (user: string, startedAt: string, [state, reason, status]: (typeof calls)[number]) => {
      const recording = generateId()
      if (status) {
        const text = `INSERT INTO recordings (id, source, storage_key, size_bytes, status) VALUES ($1, 'crm', $2, 1, $3)`
        await app.db.query(text, [recording, recording, status])
      }
      await app.db.query(
        `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, load_state, skip_reason, recording_id)
         VALUES ($1, $7, $2, 2, 60, $3, $4, $5, $6)`,
        [++id, user, startedAt, state, reason, state === 'received' ? recording : null, `c${id}`],
      )
    }
    for (const call of calls) await add('1', '2026-03-01T20:59:59Z', call)
    await add('2', '2026-03-01T21:00:00Z', ['skipped', 'not-in-roster', null])
    const { status, text, json } = await app.olga.get('/v1/crm/reconciliation?from=2026-03-01&to=2026-03-02')
    expect(status, text).to.equal(200)
    const anna = {
      inCrm: 14,
      skipped: { short: 1, unanswered: 2, doubled: 1 },
      awaitingFile: 1,
      loading: 1,
      loadFailed: 1,
      received: 7,
      done: 2,
      failed: 1,
      cancelled: 1,
      inWork: 2,
      deleted: 1,
    }
    expect(json.days.map(({ day, manager, inCrm }: Record<string, unknown>) => [day, manager, inCrm])).to.deep.equal([
      ['2026-03-02', 'Boris Orlov', 1],
      ['2026-03-01', 'Anna Kovaleva', 14],
    ])
    expect(json.days[1]).to.deep.include(anna)
    expect(json.totals).to.deep.equal({ ...anna, inCrm: 15, skipped: { ...anna.skipped, 'not-in-roster': 1 } })
    const { skipped, ...numbers } = json.days[1]
    for (const [state, total] of Object.entries({ ...numbers, skipped: 4, inCrm: 14 })) {
      if (state === 'day' || state === 'manager') continue
      const query = `from=2026-03-01&to=2026-03-01&manager="Anna Kovaleva"${state === 'inCrm' ? '' : `&state=${state}`}`
      expect((await app.olga.get(`/v1/crm/reconciliation/calls?${query}`)).json.total, state).to.equal(total)
    }
    for (const [reason, total] of Object.entries(skipped)) {
      const list = (await app.olga.get(`/v1/crm/reconciliation/calls?from=2026-03-01&to=2026-03-02&reason=${reason}`))
        .json
      expect([list.total, list.items[0].reason], reason).to.deep.equal([total, reason])
    }
    expect((await app.olga.get('/v1/crm/reconciliation?from=2026-03-02&to=2026-03-01')).json.message).to.deep.equal([
      'from must not be after the end of the period',
    ])
    expect((await app.ida.get('/v1/crm/reconciliation')).status).to.equal(403)
  })

  it('with the right analytics, heads see calls of their departments and managers their own', async () => {
    const { hanna, max, otto } = cast
    const people = await app.db.query(`SELECT id FROM managers WHERE name IN ('Anna', 'Max', 'Otto')`)
    let user = 100
    for (const { id } of people.rows) {
      await app.db.query('UPDATE managers SET crm_user_id = coalesce(crm_user_id, $2) WHERE id = $1', [id, `${++user}`])
      await app.db.query(
        `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, load_state)
         SELECT $1, $2, crm_user_id, 2, 60, '2026-04-01T09:00:00Z', 'waiting' FROM managers WHERE id = $3`,
        [1000 + user, `scoped.${user}`, id],
      )
    }
    const PATH = '/v1/crm/reconciliation?from=2026-04-01&to=2026-04-01'
    const seenBy = async (client: TestClient): Promise<string[]> => {
      const { json } = await client.get(PATH)
      expect(json.totals.inCrm).to.equal(json.days.length)
      return json.days.map(({ manager }: { manager: string }) => manager).toSorted()
    }
    expect(await seenBy(app.olga)).to.deep.equal(['Anna', 'Max', 'Otto'])
    expect(await seenBy(hanna)).not.to.include('Otto')
    expect(await seenBy(hanna)).to.include('Max')
    expect([await seenBy(max), await seenBy(otto)]).to.deep.equal([['Max'], ['Otto']])
    await app.olga.patch(`/v1/people/${max.id}`, { rights: { analytics: false } })
    expect((await max.get(PATH)).status).to.equal(403)
  })

  const DAY = '2026-05-04'
  const addCall = async (id: number, fields: Record<string, unknown> = {}) => {
    const row = {
      id, call_id: `list.${id}`, user_id: '7', type: 2, duration_seconds: id, started_at: `${DAY}T09:00:${id % 60}Z`,
      load_state: 'waiting', phone_number: '+375291234567', ...fields,
    } // prettier-ignore
    const columns = Object.keys(row)
    const text = `INSERT INTO crm_calls (${columns.join(', ')}) VALUES (${columns.map((_, n) => `$${n + 1}`).join(', ')})`
    await app.db.query(text, Object.values(row))
  }

  it('the calls behind a count are listed in pages with outcome and recording', async () => {
    const [heard, gone] = [generateId(), generateId()]
    const text = `INSERT INTO recordings (id, source, storage_key, size_bytes, status) VALUES ($1::uuid, 'crm', $1::text, 1, 'DONE')`
    await app.db.query(text, [heard])
    await addCall(5001, { load_state: 'received', recording_id: heard })
    await addCall(5002, { load_state: 'received', recording_id: gone })
    await addCall(5003, { load_state: 'failed', load_error: 'the portal gave no file' })
    await addCall(5004, { load_state: 'doubled' })
    await addCall(5005, { load_state: 'skipped', skip_reason: 'short', user_id: null })
    const read = async (query: string) =>
      (await app.olga.get(`/v1/crm/reconciliation/calls?from=${DAY}&to=${DAY}&${query}`)).json
    const first = await read('pageSize=3')
    expect([first.total, first.items.length]).to.deep.equal([5, 3])
    const all = [...first.items, ...(await read('pageSize=3&page=2')).items]
    expect(all.map(({ id, state, reason, error, recordingId }) => [id, state, reason, error, recordingId])).to.deep.equal([
      ['5005', 'skipped', 'short', null, null],
      ['5004', 'skipped', 'doubled', null, null],
      ['5003', 'loadFailed', null, 'the portal gave no file', null],
      ['5002', 'deleted', null, null, null],
      ['5001', 'done', null, null, heard],
    ]) // prettier-ignore
    expect(all[4]).to.deep.include({
      callId: 'list.5001', manager: '7', phoneNumber: '+375291234567', durationSeconds: 5001,
    }) // prettier-ignore
    expect((await read('manager=""')).items.map(({ id }: { id: string }) => id)).to.deep.equal(['5005'])
    expect([(await read('manager=')).total, (await read('manager=%20')).total], 'no name is no filter').to.deep.equal([
      5, 5,
    ])
    expect((await app.olga.get('/v1/crm/reconciliation/calls?state=other')).status).to.equal(400)
  })

  it('lists and counts can be filtered by department, and omit invisible calls', async () => {
    const days = 'from=2026-04-01&to=2026-04-01'
    const names = async (client: TestClient, query = '') => {
      const [counts, list] = await Promise.all(
        ['', '/calls'].map((path) => client.get(`/v1/crm/reconciliation${path}?${days}${query}`)),
      )
      expect(list!.json.total).to.equal(counts!.json.totals.inCrm)
      return list!.json.items.map(({ manager }: { manager: string }) => manager).toSorted()
    }
    for (const [client, query] of [[cast.hanna, ''], [app.olga, `&department=${cast.sales}`]] as const) {
      expect(await names(client, query)).to.include('Max').and.not.include('Otto')
    } // prettier-ignore
  })

  it('the portal’s counts are shown beside ours, with an alarm for fewer or missing calls', async () => {
    const controls: [day: string, portal: number, shrank: boolean][] = [
      ['2026-06-01', 3, false],
      ['2026-06-02', 3, false],
      ['2026-06-03', 1, true],
      ['2026-05-30', 50, false],
    ]
    for (const [day, portal, shrank] of controls) {
      const text = `INSERT INTO crm_controls (day, portal_calls, own_calls, shrank_at) VALUES ($1, $2, 0, $3)`
      await app.db.query(text, [day, portal, shrank ? new Date() : null])
    }
    for (let n = 0; n < 5; n++) await addCall(6001 + n, { started_at: `2026-06-0${n < 3 ? 1 : 2}T09:00:00Z` })
    const read = async (client: TestClient, more = '') =>
      (await client.get(`/v1/crm/reconciliation?from=2026-05-30&to=2026-06-03${more}`)).json.controls
    const alarms = async () => (await read(app.olga)).map(({ alarm }: { alarm: string | null }) => alarm)
    expect(await alarms(), 'days that were never read whole').to.deep.equal(['fewer', null, null, null])
    await app.db.query(
      `INSERT INTO crm_read_periods (from_at, to_at) VALUES ('2026-05-31T21:00:00Z', '2026-06-02T20:59:00Z')`,
    )
    expect(await alarms(), 'the second is not over for the sweep').to.deep.equal(['fewer', null, null, null])
    await app.db.query(`UPDATE crm_read_periods SET to_at = '2026-06-02T21:01:00Z'`)
    expect((await read(app.olga)).map((one: Record<string, unknown>) => [one.day, one.portalCalls, one.ownCalls, one.alarm])).to.deep.equal([
      ['2026-06-03', 1, 0, 'fewer'],
      ['2026-06-02', 3, 2, 'more'],
      ['2026-06-01', 3, 3, null],
      ['2026-05-30', 50, 0, null],
    ]) // prettier-ignore
    expect(await read(cast.hanna)).to.deep.equal([])
  })

  it('the reconciliation lists days not fully read; adjacent read periods complete a day', async () => {
    await app.db.query('DELETE FROM crm_read_periods')
    const read = async (from: string, to: string, client = app.olga) =>
      (await client.get(`/v1/crm/reconciliation?from=${from}&to=${to}`)).json.unreadDays
    expect(await read('2026-06-01', '2026-06-02')).to.deep.equal(['2026-06-02', '2026-06-01'])
    await app.db.query(
      `INSERT INTO crm_read_periods (from_at, to_at) VALUES ('2026-05-31T21:00:00Z', '2026-06-01T09:00:00Z'),
         ('2026-06-01T09:00:00Z', '2026-06-02T12:00:00Z'), ('2026-06-03T21:00:00Z', '2026-06-04T21:00:00Z')`,
    )
    expect(await read('2026-06-01', '2026-06-05')).to.deep.equal(['2026-06-05', '2026-06-03', '2026-06-02'])
    expect(await read('2026-06-01', '2026-06-05', cast.hanna)).to.deep.equal(['2026-06-05', '2026-06-03', '2026-06-02'])
    const today = new Date().toISOString().slice(0, 10)
    const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    expect(await read(today, later), 'days that are not over').to.not.include(later)
  })
})
