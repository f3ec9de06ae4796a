import { expect } from 'chai'
import { TestCrmApp } from '../test/crm-app.ts'
import type { TestPortalCall, TestPortalCallSeed } from '../test/portal/data.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../test/portal/events.ts'
import { waitUntil } from '../test/wait.ts'
import { isCrmAutomationOn } from './automation/state.ts'
import { crmFilesStep } from './calls/files-step.ts'
import { planCrmComments } from './comments/plan.ts'
import { crmSyncQueue, crmWriteQueue } from './queues.ts'

const AUDIO = Buffer.from('the sound of a call')

describe('changes in the portal', () => {
  const crm = new TestCrmApp()
  const { portal } = crm
  const { data } = portal
  let anna: number
  let deals: number[]
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = data.addUser('Anna', 'Kovaleva')
    data.addFunnel('General')
    deals = ['Windows', 'Doors'].map((title) => data.addDeal(title))
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'funnels', 'stages', 'deals', 'stage-history', 'contacts')
    await crm.app.olga.put('/v1/crm/writing', { on: true })
    await crm.sql(`UPDATE crm_automation SET writing_since = now() - interval '1 hour'`)
  })
  after(() => crm.stop())
  beforeEach(async () => {
    portal.faults = []
    data.calls.clear()
    data.comments.clear()
    for (const table of ['crm_comments', 'recordings', 'crm_calls', 'crm_sync_jobs'])
      await crm.sql(`DELETE FROM ${table}`)
    await crm.sql(`DELETE FROM crm_steps WHERE name IN ('calls', 'files', 'matches', 'match-backlog')`)
    portal.requests.length = 0
  })

  const add = (seed: TestPortalCallSeed = {}) =>
    data.addCall({ userId: anna, audio: AUDIO, dealIds: [deals[0]!], ...seed })
  const sendEvent = (call: TestPortalCall) => sendCallEndedEvent(portal, crm.app.url, call)
  const work = async () => {
    await crm.sql(`UPDATE crm_sync_jobs SET next_attempt_at = now() WHERE status = 'QUEUED'`)
    await crm.runDueJobs(crmSyncQueue)
  }
  const loaded = async (): Promise<string[]> =>
    (await crm.sql('SELECT external_call_id AS id FROM recordings ORDER BY 1')).map(({ id }) => id)
  const check = async () => {
    await crm.sql(`UPDATE recordings SET status = 'DONE', score = 72`)
    await crm.sql(
      `INSERT INTO analyses (id, recording_id, status, is_current, score)
       SELECT gen_random_uuid(), id, 'DONE', true, 72 FROM recordings`,
    )
  }
  const write = async () => {
    await planCrmComments(crm.core)
    await crm.runDueJobs(crmWriteQueue)
  }

  it('a deleted portal gets no more requests, and all stored data stays', async () => {
    const call = add()
    await sendEvent(call)
    await work()
    await crm.runSteps('calls')
    await crm.linkDeals()
    await check()
    await write()
    const [{ id }] = await crm.sql('SELECT id FROM recordings')
    const kept = async () => {
      const tables = [
        'crm_deals',
        'crm_users',
        'crm_calls',
        'crm_call_deals',
        'crm_comments',
        'crm_roster',
        'recordings',
      ]
      const rows: unknown[] = []
      for (const table of tables) rows.push(await crm.sql(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`))
      const pages = [`recordings/${id}`, `recordings/${id}/deals`, `recordings?deal=${deals[0]}`, 'crm/roster']
      for (const page of pages) rows.push((await crm.app.olga.get(`/v1/${page}`)).json)
      return rows
    }
    const before = await kept()
    expect(data.comments.rows.length).to.equal(1)
    for (const status of [500, 403, 410] as const) {
      portal.deleted = status
      await crm.runSteps('users', 'deals', 'calls', 'control')
      const { json } = await crm.app.olga.get('/v1/crm/automation')
      expect(json.state).to.equal('blocked')
      expect(json.reason).to.contain('PORTAL_DELETED')
      await waitUntil('the schedule knows', async () => !(await isCrmAutomationOn(crm.core)))
      const requestsBefore = portal.requests.length
      await sendEvent(call)
      await work()
      await crm.linkDeals()
      await write()
      await crm.runSteps('users', 'deals', 'calls', 'control')
      expect(portal.requests.length).to.equal(requestsBefore)
      expect(await kept()).to.deep.equal(before)
      portal.deleted = undefined
      expect((await crm.app.olga.post('/v1/crm/connection/check')).json.state).to.equal('on')
      await waitUntil('the schedule knows', () => isCrmAutomationOn(crm.core))
    }
  })

  it('reports exclude a deleted deal until it returns to the portal', async () => {
    const period = 'from=2020-01-01&to=2020-01-31'
    const counted = async () => (await crm.app.olga.get(`/v1/analytics/sales?${period}`)).json.totals.created
    const at = data.time(Date.parse('2020-01-10T12:00:00Z'))
    const id = data.addDeal('Of long ago', { createdTime: at })
    await crm.runSteps('deals')
    const there = await counted()
    const seen = data.deals.get(id)!
    data.deals.remove(id)
    for (const night of [1, 2]) {
      await crm.sql(`UPDATE crm_steps SET position = '{"dealsOn": "2020-01-01"}' WHERE name = 'control'`)
      await crm.runSteps('control')
      if (night === 1) expect(await counted(), 'the first night').to.equal(there)
      await crm.sql(`UPDATE crm_deals SET missed_at = missed_at - interval '1 day' WHERE missed_at IS NOT NULL`)
    }
    expect(await crm.sql('SELECT gone_at IS NOT NULL AS gone FROM crm_deals WHERE id = $1', [id])).to.deep.equal([
      { gone: true },
    ])
    expect([there, await counted()]).to.deep.equal([1, 0])
    data.deals.add(seen)
    Object.assign(seen, { updatedTime: data.time() })
    await crm.runSteps('deals')
    expect(await counted()).to.equal(1)
  })

  it('a call whose event precedes its statistics is retried and loaded once', async () => {
    const call = add()
    data.calls.remove(Number(call.ID))
    await sendEvent(call)
    await work()
    const jobs = () => crm.sql('SELECT attempts, status FROM crm_sync_jobs')
    expect([await loaded(), await jobs()]).to.deep.equal([[], [{ attempts: 1, status: 'QUEUED' }]])
    data.calls.add(call)
    await work()
    expect([await loaded(), (await jobs())[0].status]).to.deep.equal([[call.CALL_ID], 'DONE'])
  })

  it('the step calls finds a call whose load job failed', async () => {
    const call = add()
    data.calls.remove(Number(call.ID))
    await sendEvent(call)
    for (let n = 0; n < 8; n++) await work()
    expect((await crm.sql('SELECT status FROM crm_sync_jobs'))[0].status).to.equal('FAILED')
    data.calls.add(call)
    await crm.runSteps('calls')
    await work()
    expect(await loaded()).to.deep.equal([call.CALL_ID])
  })

  it('a call whose row becomes visible after later rows is found', async () => {
    const rows = Array.from({ length: 120 }, () => add({ audio: undefined, failedCode: '304' }))
    const late = add()
    const behind = add()
    portal.sees = (kind, row) => kind !== 'call' || row !== late
    await crm.runSteps('calls')
    await work()
    expect(await loaded()).to.deep.equal([behind.CALL_ID])
    portal.sees = () => true
    await crm.runSteps('calls')
    await work()
    expect(await loaded()).to.deep.equal([late.CALL_ID, behind.CALL_ID].toSorted())
    expect((await crm.sql('SELECT count(*)::int AS n FROM crm_calls'))[0].n).to.equal(rows.length + 2)
  })

  it('repeated and unordered events create one recording per call, also for transferred calls', async () => {
    const calls = [add(), add(), add({ callId: 'passed.on', seconds: 20, audio: undefined })]
    calls.push(add({ callId: 'passed.on', seconds: 90 }))
    for (const call of [...calls.toReversed(), ...calls]) {
      await sendEvent(call)
      await work()
    }
    expect(await loaded()).to.deep.equal([...new Set(calls.map(({ CALL_ID }) => CALL_ID))].toSorted())
    const states = await crm.sql('SELECT load_state AS state, count(*)::int AS n FROM crm_calls GROUP BY 1 ORDER BY 1')
    expect(states).to.deep.equal([{ state: 'doubled', n: 1 }, { state: 'received', n: 3 }]) // prettier-ignore
  })

  it('a trashed recording is loaded after its return; one deleted after its load stays', async () => {
    const [trashed, deleted] = [add(), add()]
    const file = data.files.get(trashed.RECORD_FILE_ID)!
    file.isTrashed = true
    for (const call of [trashed, deleted]) await sendEvent(call)
    await work()
    expect(await loaded()).to.deep.equal([deleted.CALL_ID])
    expect(portal.findRequests('download').length).to.equal(1)
    data.removeFile(deleted)
    await crm.runSteps('calls')
    await crm.sql('UPDATE crm_calls SET next_file_check_at = now()')
    file.isTrashed = false
    await crm.runBackground(crmFilesStep)
    await work()
    expect(await loaded()).to.deep.equal([trashed.CALL_ID, deleted.CALL_ID].toSorted())
    expect(await crm.sql('SELECT DISTINCT load_state AS state FROM crm_calls')).to.deep.equal([{ state: 'received' }])
  })

  it('a deal deleted before its comment is written fails only that comment', async () => {
    const lost = data.addDeal('Soon lost')
    await crm.runSteps('deals')
    for (const deal of [lost, deals[1]!]) await sendEvent(add({ dealIds: [deal] }))
    await work()
    await crm.linkDeals()
    await check()
    data.deals.remove(lost)
    await write()
    await write()
    expect(data.comments.rows.map(({ ENTITY_ID }) => ENTITY_ID)).to.deep.equal([String(deals[1])])
    const rows = await crm.sql(`SELECT deal_id AS deal, status, last_error AS error FROM crm_comments ORDER BY id`)
    expect(rows.map(({ deal, status }) => [Number(deal), status])).to.have.deep.members([
      [lost, 'FAILED'],
      [deals[1], 'SENT'],
    ])
    expect(rows.find(({ status }) => status === 'FAILED').error).to.contain('Owner was not found')
    const { json } = await crm.app.olga.get('/v1/crm/writing')
    expect(json).to.include({ on: true, sent: 1, failed: 1, waiting: 0, reason: null })
  })
})
