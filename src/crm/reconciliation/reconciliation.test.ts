import { expect } from 'chai'
import { seedCast } from '../../test/cast.ts'
import type { Client } from '../../test/client.ts'
import { newId } from '../../lib/ids.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('reconciliation with the CRM', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Moscow' })
  })
  after(() => app.stop())

  it('every call of a day and manager is in exactly one place, and the sums agree', async () => {
    await app.db.query(`INSERT INTO managers (id, name, crm_user_id) VALUES ($1, 'Anna Kovaleva', '1')`, [newId()])
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
      const recording = newId()
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
    expect((await app.olga.get('/v1/crm/reconciliation?from=2026-03-02&to=2026-03-01')).json.message).to.deep.equal([
      'from must not be after to',
    ])
    expect((await app.ida.get('/v1/crm/reconciliation')).status).to.equal(403)
  })

  it('a head sees the calls of their departments and a manager their own, whoever has the right to analytics', async () => {
    const { hanna, max, otto } = await seedCast(app)
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
    const seenBy = async (client: Client): Promise<string[]> => {
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
})
