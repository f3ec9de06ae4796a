import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmHistoryLoadQueue } from '../queues.ts'
import { runHistoryLoads } from './worker.ts'

const DAY_MS = 24 * 3600_000
const PERIOD = {
  from: new Date(Date.now() - 60 * DAY_MS).toISOString(),
  to: new Date(Date.now() - 30 * DAY_MS).toISOString(),
}

describe('history loads', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let anna: number
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
    anna = data.addUser('Anna', 'Kovaleva')
    data.addFunnel('General')
    await crm.enableAutomation()
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
  })
  after(() => crm.stop())
  beforeEach(async () => {
    crm.portal.faults = []
    crm.portal.requests.length = 0
    for (const table of [
      'crm_load_jobs',
      'crm_history_loads',
      'crm_history_estimates',
      'crm_calls',
      'recordings',
      'crm_read_periods',
    ]) {
      await crm.sql(`DELETE FROM ${table}`)
    }
    data.calls.clear()
  })

  /** Adds calls of the period. The first of each five was not answered; the others have a recording. */
  const addCalls = (count: number) => {
    for (let n = 0; n < count; n++) {
      const answered = n % 5 !== 0
      const startedAt = Date.now() - 45 * DAY_MS + n * 60_000
      const seed = { userId: anna, startedAt, seconds: 100, failedCode: answered ? '200' : '304' }
      data.addCall({ ...seed, ...(answered && { audio: Buffer.alloc(400, n) }) })
    }
  }
  const estimate = () => crm.app.olga.post('/v1/crm/history/estimates', PERIOD)
  const start = (estimateId: string) => crm.app.olga.post('/v1/crm/history/loads', { estimateId })
  const change = (id: string, verb: string) => crm.app.olga.post(`/v1/crm/history/loads/${id}/${verb}`)
  const load = async (id: string) => (await crm.app.olga.get(`/v1/crm/history/loads/${id}`)).json
  const count = async () => (await crm.sql('SELECT count(*)::int AS n FROM recordings'))[0].n

  it('an estimate of a history load requires a roster and an ordered period', async () => {
    const answer = await estimate()
    expect([answer.status, answer.json.message]).to.deep.equal([409, 'Apply the roster first'])
    await crm.addToRoster(anna, 'Anna Kovaleva')
    const order = await crm.app.olga.post('/v1/crm/history/estimates', { from: PERIOD.to, to: PERIOD.from })
    expect([order.status, order.json.message]).to.deep.equal([400, ['to must be after the start of the period']])
  })

  it('the period of an estimate includes its last day', async () => {
    const day = '2026-01-15'
    const { status, json } = await crm.app.olga.post('/v1/crm/history/estimates', { from: day, to: day })
    expect(status).to.equal(201)
    const [period] = await crm.sql('SELECT from_at, to_at FROM crm_history_estimates WHERE id = $1', [json.id])
    expect(period.to_at - period.from_at).to.equal(DAY_MS)
  })

  it('an estimate has calls, hours and bytes; a rejected or expired one cannot start', async () => {
    addCalls(120)
    const { status, json } = await estimate()
    expect(status).to.equal(201)
    expect(json).to.include({ calls: 96, alreadyHere: 0, diskBytes: 96 * 400, allowed: true })
    expect(json.hours).to.be.closeTo((96 * 100) / 3600, 0.01)
    await crm.sql('UPDATE crm_history_estimates SET allowed = false')
    expect((await start(json.id)).json.message).to.equal(
      'This load would leave too little free disk space. Choose a shorter period',
    )
    await crm.sql(`UPDATE crm_history_estimates SET allowed = true, expires_at = now() - interval '1 s'`)
    expect((await start(json.id)).json.message).to.equal('The estimate is older than a day. Create a new one')
    crm.portal.planFault({ method: 'voximplant.statistic.get', times: 1, fault: toPortalFault(PORTAL_ERRORS.internal) })
    expect((await estimate()).status).to.equal(502)
  })

  it('an estimate is rejected if less than 15 GB of the disk would remain', async () => {
    addCalls(10)
    for (const file of data.files.rows) Object.assign(file, { content: { length: 1e14 } })
    const { json } = await estimate()
    expect(json).to.include({ calls: 8, diskBytes: 8e14, allowed: false })
    expect(json.freeBytes - json.diskBytes).to.be.lessThan(15e9)
    expect(json.reasons).to.deep.equal(['After the load less than 15 GB of the disk would be free'])
    expect((await start(json.id)).json.message).to.equal(
      'This load would leave too little free disk space. Choose a shorter period',
    )
    data.files.clear()
  })

  it('a history load continues after errors and pauses, and loads every eligible call once', async () => {
    addCalls(60)
    const { id } = (await start((await estimate()).json.id)).json
    let pages = 0
    crm.portal.planFault({ method: 'voximplant.statistic.get', when: () => ++pages === 2, fault: { kind: 'html' } })
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ state: 'running', found: 50, readWhole: false })
    crm.portal.faults = []
    await crm.sql('UPDATE crm_history_loads SET due_at = now()')
    expect((await change(id, 'pause')).json.state).to.equal('paused')
    await runHistoryLoads(crm.core)
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect(await count()).to.equal(0)
    await change(id, 'resume')
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ found: 60, readWhole: true, waiting: 48, skipped: 12 })
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ state: 'done', loaded: 48, skipped: 12, failed: 0, waiting: 0 })
    const rows = await crm.sql('SELECT DISTINCT source, priority FROM recordings')
    expect([await count(), rows]).to.deep.equal([48, [{ source: 'crm', priority: 0 }]])
    expect((await estimate()).json).to.include({ calls: 0, alreadyHere: 48 })
  })

  it('a cancelled history load stops, and another one can start', async () => {
    addCalls(10)
    const made = (await estimate()).json
    const { id } = (await start(made.id)).json
    expect((await start(made.id)).json.message).to.equal('A load from this estimate has already started')
    expect((await start((await estimate()).json.id)).json.message).to.equal('Another load is still running')
    await runHistoryLoads(crm.core)
    expect((await change(id, 'cancel')).json).to.include({ state: 'cancelled', waiting: 0 })
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect(await count()).to.equal(0)
    expect((await change(id, 'resume')).status).to.equal(409)
    expect((await start((await estimate()).json.id)).status).to.equal(201)
    const { items, ...page } = (await crm.app.olga.get('/v1/crm/history/loads')).json
    expect([items.length, page]).to.deep.equal([2, { total: 2, page: 1, pageSize: 25 }])
  })

  /** Runs a load of ten calls to its end. One of the eight files is unreadable. */
  const loadWithFailure = async () => {
    addCalls(10)
    const { id } = (await start((await estimate()).json.id)).json
    const broken = Math.max(...data.calls.rows.map((call) => Number(call.RECORD_FILE_ID)))
    const isBroken = ({ id: file }: Record<string, unknown>) => Number(file) === broken
    crm.portal.planFault({ method: 'disk.file.get', when: isBroken, fault: toPortalFault(PORTAL_ERRORS.denied) })
    await runHistoryLoads(crm.core)
    await crm.sql('UPDATE crm_load_jobs SET attempts = 7')
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    crm.portal.faults = []
    expect(await load(id)).to.include({ state: 'done', loaded: 7, failed: 1 })
    return id as string
  }
  const retryFailed = async () => (await crm.app.olga.post('/v1/queues/crm-load/retry-failed')).json.retried
  const callStates = () => crm.sql('SELECT DISTINCT load_state AS state FROM crm_calls ORDER BY 1')

  it('retrying failed calls continues a history load that had ended', async () => {
    const id = await loadWithFailure()
    expect(await retryFailed()).to.equal(1)
    expect(await load(id)).to.include({ state: 'running', waiting: 1, failed: 0, finishedAt: null })
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ state: 'done', loaded: 8, failed: 0 })
    expect([await count(), await callStates()]).to.deep.equal([8, [{ state: 'received' }, { state: 'skipped' }]])
  })

  it('the next history load loads the failed calls of a cancelled one', async () => {
    const id = await loadWithFailure()
    await crm.sql(`UPDATE crm_history_loads SET state = 'cancelled' WHERE id = $1`, [id])
    expect(await retryFailed()).to.equal(0)
    const again = (await estimate()).json
    expect(again).to.include({ calls: 1, alreadyHere: 7 })
    const next = (await start(again.id)).json.id
    await runHistoryLoads(crm.core)
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    expect(await load(next)).to.include({ state: 'done', found: 10, loaded: 1, skipped: 9, failed: 0 })
    expect([await count(), await callStates()]).to.deep.equal([8, [{ state: 'received' }, { state: 'skipped' }]])
  })

  it('a failed history load cannot resume while another load runs', async () => {
    addCalls(10)
    const failed = (await start((await estimate()).json.id)).json.id
    crm.portal.planFault({ method: 'voximplant.statistic.get', times: 1, fault: { kind: 'error', status: 400, code: 'INVALID_ARG_VALUE' } }) // prettier-ignore
    await runHistoryLoads(crm.core)
    expect((await load(failed)).state).to.equal('failed')
    const other = (await start((await estimate()).json.id)).json.id
    const refused = await change(failed, 'resume')
    expect([refused.status, refused.json.message]).to.deep.equal([409, 'Another load is still running'])
    expect((await load(failed)).state).to.equal('failed')
    await change(other, 'cancel')
    expect((await change(failed, 'resume')).json.state).to.equal('running')
    expect((await change(failed, 'pause')).json.state).to.equal('paused')
    expect((await change(failed, 'resume')).json.state).to.equal('running')
  })

  it('a history load reads every call of its period and skips users outside the roster', async () => {
    const otherUser = data.addUser('Boris', 'Orlov')
    addCalls(10)
    const day = new Date(Date.now() - 40 * DAY_MS).toISOString().slice(0, 10)
    const noon = Date.parse(`${day}T12:00:00Z`)
    for (let n = 0; n < 60; n++) {
      data.addCall({ userId: otherUser, startedAt: noon + n * 1000, audio: Buffer.alloc(400) })
    }
    const reconciled = async () => (await crm.app.olga.get(`/v1/crm/reconciliation?from=${day}&to=${day}`)).json
    expect((await reconciled()).unreadDays).to.deep.equal([day])
    const { id } = (await start((await estimate()).json.id)).json
    await runHistoryLoads(crm.core)
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ state: 'done', found: 70, loaded: 8, skipped: 62, failed: 0 })
    const { unreadDays, totals } = await reconciled()
    expect([unreadDays, totals.inCrm, totals.skipped]).to.deep.equal([[], 60, { 'not-in-roster': 60 }])
  })

  it('a history load from the previous release starts over for all users', async () => {
    addCalls(10)
    const otherUser = data.addUser('Clara', 'Lang')
    data.addCall({ userId: otherUser, startedAt: Date.now() - 44 * DAY_MS })
    const { id } = (await start((await estimate()).json.id)).json
    const last = Math.max(...data.calls.rows.map(({ ID }) => Number(ID)))
    await crm.sql(
      `UPDATE crm_history_loads SET cursor = jsonb_build_object('group', 1, 'lastId', $1::int, 'users', '[]'::jsonb)`,
      [last],
    )
    await runHistoryLoads(crm.core)
    expect(await load(id)).to.include({ readWhole: true, found: 11 })
  })

  it('history loads are listed in pages, newest first; pages past the end are empty', async () => {
    await crm.sql(
      `WITH estimates AS (
         INSERT INTO crm_history_estimates (from_at, to_at, figures, allowed, created_at, expires_at)
         SELECT now(), now(), '{}', true, now() + n * interval '1 second', now() FROM generate_series(1, 120) n
         RETURNING id, created_at)
       INSERT INTO crm_history_loads (id, estimate_id, state, from_at, to_at, created_at)
       SELECT new_id(), id, 'done', now(), now(), created_at FROM estimates`,
    )
    const page = async (query: string) => (await crm.app.olga.get(`/v1/crm/history/loads?${query}`)).json
    const all = [...(await page('pageSize=100')).items, ...(await page('pageSize=100&page=2')).items]
    expect(new Set(all.map(({ id }) => id)).size).to.equal(120)
    const times = all.map(({ createdAt }) => createdAt as string)
    expect(times).to.deep.equal(times.toSorted().toReversed())
    expect(await page('pageSize=10&page=13')).to.deep.equal({ items: [], total: 120, page: 13, pageSize: 10 })
  })
})
