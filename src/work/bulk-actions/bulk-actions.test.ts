import { expect } from 'chai'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { createLogger } from '../../platform/lib/log.ts'
import { fetchAuditLog } from '../../test/audit.ts'
import { holdCall } from '../../test/bulk-actions.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createLoggedInPerson, createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { advanceBulkActions, deleteOldBulkActions } from './run.ts'
import { MAX_RUNNING_BULK_ACTIONS } from './values.ts'

const NOT_STOPPING = new AbortController().signal

describe('actions on many calls', () => {
  let app: TestApp
  let people: TestPeople
  let handle: CoreHandle
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    people = await createTestPeople(app)
    handle = await openAppCore(app.config, createLogger('silent', 'test'))
  })
  after(async () => {
    await handle.close()
    await app.stop()
  })
  afterEach(async () => {
    await app.db.query('DELETE FROM recordings')
    await app.db.query('DELETE FROM bulk_actions')
  })

  /** Inserts calls of Max, the first one the newest. */
  const createCalls = (count: number, call: TestCallRow = {}) =>
    insertCalls(
      app,
      Array.from({ length: count }, (_, n) => ({
        manager: 'Max',
        at: new Date(1.7e12 - n * 6e4).toISOString(),
        ...call,
      })),
    )
  const start = (client: TestClient, body: object) => client.post('/v1/bulk-actions', body)
  const read = async (client: TestClient, id: string) => (await client.get(`/v1/bulk-actions/${id}`)).json
  const advance = () => advanceBulkActions(handle.core, NOT_STOPPING)
  /** Runs an action to its end. @returns it with the outcomes that occurred */
  async function run(client: TestClient, body: object) {
    const { status, json, text } = await start(client, body)
    expect(status, text).to.equal(201)
    let action = json
    while (action.state === 'running') {
      await advance()
      action = await read(client, json.id)
    }
    const { counts, ...ended } = action
    return { ...ended, counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) }
  }
  const countCalls = async (query: string): Promise<number> =>
    (await app.olga.get(`/v1/recordings?${query}`)).json.total

  it('changes all calls that match the filters, and skips statuses that forbid the action', async () => {
    await createCalls(20, { status: 'FAILED' })
    await createCalls(2, { status: 'CANCELLED' })
    await createCalls(3)
    await createCalls(1, { status: 'FAILED', manager: 'Anna' })
    const ended = await run(app.olga, { action: 'retry', filters: { manager: 'max', sort: 'score' } })
    expect(ended).to.deep.include({ state: 'done', total: 22, processed: 22, counts: { done: 22 }, unchangedIds: [] })
    expect(await countCalls('status=QUEUED')).to.equal(22)
    const none = await run(app.olga, { action: 'retry', filters: { status: 'DONE' } })
    expect(none).to.deep.include({ state: 'done', total: 0, counts: {} })
    expect(none.finishedAt).not.to.equal(null)
  })

  it('every action changes its calls like the single operation', async () => {
    const [done, queued] = [await createCalls(1), await createCalls(1, { status: 'QUEUED' })]
    expect((await run(app.olga, { action: 'recheck', filters: {} })).counts).to.deep.equal({ done: 1 })
    expect((await run(app.olga, { action: 'cancel', filters: {} })).counts).to.deep.equal({ done: 1 })
    const named = { action: 'manager', ids: [done[0], queued[0]!.toUpperCase(), queued[0]], managerName: ' Anna ' }
    expect((await run(app.olga, named)).counts).to.deep.equal({ done: 2 })
    expect([await countCalls('status=CANCELLED'), await countCalls('manager=anna')]).to.deep.equal([1, 2])
    const { json } = await app.olga.get(`/v1/recordings/${done[0]}/analysis`)
    expect(json.status).to.equal('queued')
    expect((await run(app.olga, { action: 'manager', filters: {}, managerName: null })).counts).to.deep.equal({
      done: 2,
    })
    expect((await run(app.olga, { action: 'delete', filters: {} })).counts).to.deep.equal({ done: 2 })
    expect(await countCalls('')).to.equal(0)
  })

  it('a new manager of many calls compares none of them with subscribed views', async () => {
    const { id: view } = (await people.hanna.post('/v1/views', { name: 'All', filters: {} })).json
    await people.hanna.send(`/v1/views/${view}/subscription`, { method: 'PUT' })
    const ids = await createCalls(2, { at: new Date().toISOString() })
    const countCompared = async () => (await app.db.query('SELECT FROM view_candidates')).rowCount
    await run(app.olga, { action: 'manager', ids, managerName: 'Anna' })
    expect(await countCompared()).to.equal(0)
    await app.olga.patch(`/v1/recordings/${ids[0]}`, { managerName: 'Max' })
    expect(await countCompared(), 'a single correction').to.equal(1)
  })

  it('calls that arrive after the start or after createdUntil are not changed', async () => {
    await createCalls(2, { createdAt: '2026-03-01T08:00:00Z' })
    await createCalls(1, { createdAt: '2026-03-02T08:00:00Z' })
    const body = { action: 'delete', filters: {}, createdUntil: '2026-03-01T09:00:00Z' }
    const { json } = await start(app.olga, body)
    await createCalls(1, { createdAt: '2026-03-01T08:00:00Z' })
    await advance()
    expect((await read(app.olga, json.id)).counts.done).to.equal(2)
    expect(await countCalls('')).to.equal(2)
  })

  it('counts calls by outcome, and names those that it could not change', async () => {
    const failed = await createCalls(2, { status: 'FAILED' })
    const done = await createCalls(1)
    const gone = await createCalls(1, { status: 'FAILED' })
    const { json } = await start(app.olga, { action: 'retry', ids: [...failed, ...done, ...gone] })
    await app.olga.delete(`/v1/recordings/${gone[0]}`)
    await advance()
    const { counts, unchangedIds } = await read(app.olga, json.id)
    expect(counts).to.deep.equal({ done: 2, refused: 1, denied: 0, absent: 1, failed: 0 })
    expect(unchangedIds).to.deep.equal(done)
    const otto = await run(people.hanna, { action: 'manager', ids: done, managerName: 'Otto' })
    expect([otto.counts, otto.unchangedIds]).to.deep.equal([{ denied: 1 }, done])
  })

  it('an error of the service ends neither the action nor its other calls', async () => {
    const ids = await createCalls(10)
    await app.db.query(`
      CREATE FUNCTION break_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
      CREATE TRIGGER break_delete BEFORE DELETE ON recordings FOR EACH ROW WHEN (OLD.id = '${ids[3]}')
        EXECUTE FUNCTION break_delete()`)
    const ended = await run(app.olga, { action: 'delete', ids })
    await app.db.query('DROP FUNCTION break_delete CASCADE')
    expect(ended).to.deep.include({ state: 'done', counts: { done: 9, failed: 1 }, unchangedIds: [ids[3]] })
  })

  it('rejects invalid requests, naming the field', async () => {
    const ids = await createCalls(1)
    for (const [body, field] of [
      [{ action: 'retry' }, 'filters'],
      [{ action: 'retry', ids, filters: {} }, 'filters'],
      [{ action: 'retry', filters: { scoreBelow: 'low' } }, 'filters.scoreBelow'],
      [{ action: 'retry', filters: { page: '2' } }, 'filters.page'],
      [{ action: 'retry', ids: ['x'] }, 'ids'],
      [{ action: 'manager', ids }, 'managerName'],
      [{ action: 'burn', ids }, 'action'],
    ] as const) {
      const { status, json } = await start(app.olga, body)
      expect([status, json.message[0].split(' ')[0]], JSON.stringify(body)).to.deep.equal([400, field])
    }
  })

  it('needs the rights of the single operation', async () => {
    const ids = await createCalls(1)
    const startAs = async (client: TestClient, action: string) => (await start(client, { action, ids })).status
    expect([await startAs(people.max, 'recheck'), await startAs(people.hanna, 'recheck')]).to.deep.equal([403, 201])
    await app.olga.patch(`/v1/people/${people.hanna.id}`, { rights: { manageRecordings: false } })
    expect([await startAs(people.hanna, 'delete'), await startAs(people.hanna, 'recheck')]).to.deep.equal([403, 201])
    await app.olga.patch(`/v1/people/${people.hanna.id}`, { rights: { manageRecordings: true } })
  })

  it('a person changes only calls that they see at that moment', async () => {
    const own = await createCalls(2)
    const others = await createCalls(2, { manager: 'Otto' })
    const selected = await run(people.max, { action: 'delete', filters: {} })
    expect(selected).to.deep.include({ total: 2, counts: { done: 2 } })
    const named = await run(people.max, { action: 'delete', ids: [...own, ...others] })
    expect(named).to.deep.include({ counts: { absent: 4 }, unchangedIds: [] })
    expect(await countCalls('')).to.equal(2)
    const { json } = await start(people.otto, { action: 'delete', filters: {} })
    await app.db.query(`UPDATE recordings SET manager_name = 'Anna' WHERE id = $1`, [others[0]])
    await advance()
    expect((await read(people.otto, json.id)).counts).to.include({ done: 1, absent: 1 })
  })

  for (const [what, lose] of [
    ['a permission', { rights: { manageRecordings: false } }],
    ['access', { active: false }],
  ] as const)
    it(`a person who loses ${what} changes no further calls`, async () => {
      const name = `Leaver of ${what}`
      const rights = { manageRecordings: true }
      const leaver = await createLoggedInPerson(app, name, { departments: [people.sales], rights })
      const ids = await createCalls(20, { manager: name })
      const { json } = await start(leaver, { action: 'delete', ids })
      const call = await holdCall(app, ids[9]!)
      const running = advance()
      await waitUntil('the first batch is done', async () => (await countCalls('')) === 5)
      expect((await app.olga.patch(`/v1/people/${leaver.id}`, lose)).status).to.equal(200)
      await call.release()
      await running
      const { rows } = await app.db.query('SELECT * FROM bulk_actions WHERE id = $1', [json.id])
      expect(rows[0]).to.deep.include({ state: 'done', processed: 20, unchanged_ids: ids.slice(16) })
      expect(rows[0].counts).to.include({ done: 16, denied: 4 })
      expect(await countCalls('')).to.equal(4)
    })

  it('two processes never run the same action at once', async () => {
    const ids = await createCalls(20, { status: 'FAILED' })
    const { json } = await start(app.olga, { action: 'retry', ids })
    const call = await holdCall(app, ids[0]!)
    const first = advance()
    await waitUntil('a batch runs', async () => (await countCalls('status=QUEUED')) === 7)
    await advance() // It ends although the first one waits.
    expect(await countCalls('status=QUEUED')).to.equal(7)
    await call.release()
    await Promise.all([first, advance(), advance()])
    await waitUntil('the action is done', async () => (await read(app.olga, json.id)).state === 'done')
    expect((await read(app.olga, json.id)).counts).to.include({ done: 20, refused: 0 })
    const { rows } = await app.db.query(`SELECT recording_id FROM transcription_history WHERE kind = 'retried'`)
    expect(rows.map((row) => row.recording_id)).to.have.members(ids)
  })

  it('a lost database connection pauses the action, and its changes count', async () => {
    const ids = await createCalls(20, { status: 'FAILED' })
    const { json } = await start(app.olga, { action: 'retry', ids })
    const call = await holdCall(app, ids[10]!)
    const running = advance().catch(({ message }: Error) => message)
    await waitUntil('the other calls of the batch are changed', async () => (await countCalls('status=QUEUED')) === 15)
    await app.db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND state LIKE 'idle in%' AND query LIKE '%FROM audit%'`)
    await call.release()
    expect(await running).to.match(/terminat|not queryable/)
    expect(await read(app.olga, json.id)).to.include({ state: 'running', processed: 8 })
    await advance()
    expect((await read(app.olga, json.id)).counts).to.include({ done: 20, refused: 0 })
    const { rowCount } = await app.db.query(`SELECT FROM transcription_history WHERE kind = 'retried'`)
    expect(rowCount).to.equal(20)
  })

  it('a stop answers at once; its batch still ends, and changed calls stay changed', async () => {
    const ids = await createCalls(20)
    const { json } = await start(app.olga, { action: 'delete', ids })
    const call = await holdCall(app, ids[0]!)
    const running = advance()
    await waitUntil('a batch runs', async () => (await countCalls('')) === 13)
    const stop = () => app.olga.post(`/v1/bulk-actions/${json.id}/cancel`)
    const stopped = (await stop()).json
    await call.release()
    await running
    expect(stopped).to.include({ state: 'cancelled', processed: 0, finishedAt: null })
    const { finishedAt, ...ended } = await read(app.olga, json.id)
    expect(ended).to.include({ state: 'cancelled', processed: 8 })
    expect(finishedAt).not.to.equal(null)
    expect(await countCalls('')).to.equal(12)
    expect((await stop()).status).to.equal(409)
  })

  it('a person sees only their own actions, newest first', async () => {
    const ids = await createCalls(1)
    const first = (await start(people.max, { action: 'retry', ids })).json
    const second = (await start(people.max, { action: 'cancel', ids })).json
    const listed = (await people.max.get('/v1/bulk-actions')).json
    expect([listed.total, listed.items.map(({ id }: { id: string }) => id)]).to.deep.equal([2, [second.id, first.id]])
    for (const client of [app.olga, people.hanna]) {
      expect((await client.get('/v1/bulk-actions')).json.total).to.equal(0)
      expect((await client.get(`/v1/bulk-actions/${first.id}`)).status).to.equal(404)
      expect((await client.post(`/v1/bulk-actions/${first.id}/cancel`)).status).to.equal(404)
    }
  })

  it('limits the running actions of a person', async () => {
    const ids = await createCalls(1)
    for (let n = 0; n < MAX_RUNNING_BULK_ACTIONS; n++) await start(people.max, { action: 'delete', ids })
    expect((await start(people.max, { action: 'delete', ids })).status).to.equal(409)
    expect((await start(people.hanna, { action: 'delete', ids })).status).to.equal(201)
  })

  it('is deleted 30 days after its end', async () => {
    const ids = await createCalls(1)
    const ended = await run(app.olga, { action: 'delete', ids })
    await deleteOldBulkActions(handle.core)
    expect((await app.olga.get('/v1/bulk-actions')).json.total).to.equal(1)
    await app.db.query(`UPDATE bulk_actions SET finished_at = now() - interval '31 days' WHERE id = $1`, [ended.id])
    await deleteOldBulkActions(handle.core)
    expect((await app.olga.get('/v1/bulk-actions')).json.total).to.equal(0)
  })

  it('the audit log has one entry, with the start and each change by the person', async () => {
    const ids = await createCalls(120)
    await run(people.hanna, { action: 'manager', ids, managerName: 'Anna' })
    const listed = await fetchAuditLog(app, `person=${people.hanna.id}&action=bulk-action.start,recording.correct`)
    const entry = listed[0] as (typeof listed)[number] & { operations: unknown[]; operationCount: number }
    expect(entry).to.deep.include({ action: 'bulk-action.start', operationCount: 121 })
    expect(entry.details!.after).to.deep.equal({ bulkAction: 'manager', selectedCalls: 120, managerName: 'Anna' })
    expect([entry.operations.length, entry.address]).to.deep.equal([100, '127.0.0.1'])
    const { rows } = await app.db.query(
      `SELECT DISTINCT object_id, request_id, address FROM audit WHERE action = 'recording.correct' AND person_id = $1`,
      [people.hanna.id],
    )
    expect(rows).to.have.length(120)
    expect(new Set(rows.map((row) => row.request_id + row.address)).size).to.equal(1)
    const last = await fetchAuditLog(app, `object=${ids.at(-1)}&action=recording.correct`)
    const { operations } = last[0] as unknown as { operations: { object: { id: string } | null }[] }
    expect(operations.at(-1)!.object!.id).to.equal(ids.at(-1))
  })
})
