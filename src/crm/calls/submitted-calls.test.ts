import { expect } from 'chai'
import { createQueueWork } from '../../platform/queue/attempts.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { TestPortalCallSeed } from '../../test/portal/data.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../../test/portal/events.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmHistoryLoadQueue, crmSyncQueue } from '../queues.ts'
import { runHistoryLoads } from '../history/worker.ts'
import { crmFilesStep } from './files-step.ts'

const DAY_MS = 24 * 3600_000
const AUDIO = Buffer.from('the sound of a call')

describe('submitted calls that the CRM also has', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let [anna, boris, deal] = [0, 0, 0]
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = data.addUser('Anna', 'Kovaleva')
    boris = data.addUser('Boris', 'Orlov')
    data.addFunnel('General')
    deal = data.addDeal('Windows')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'funnels', 'stages', 'deals')
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['recordings', 'crm_calls', 'crm_sync_jobs', 'crm_load_jobs'])
      await crm.sql(`DELETE FROM ${table}`)
    await crm.sql(`DELETE FROM crm_steps WHERE name IN ('calls', 'files', 'matches', 'match-backlog')`)
    data.calls.clear()
  })

  const add = (seed: TestPortalCallSeed = {}) => data.addCall({ userId: anna, dealIds: [deal], ...seed })
  const submit = async (callId: string, fields: Record<string, string> = {}) => {
    const { status, json } = await crm.app.ida.upload(`theirs ${callId}`, { externalCallId: callId, ...fields })
    expect(status).to.equal(201)
    return json.id as string
  }
  const work = async () => {
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
    await crm.runDueJobs(crmSyncQueue)
  }
  const calls = () =>
    crm.sql(
      'SELECT id, load_state AS state, skip_reason AS reason, recording_id AS recording FROM crm_calls ORDER BY id',
    )
  const received = (id: string, recording: string) => ({ id, state: 'received', reason: null, recording })
  const deals = async (recording: string) =>
    (await crm.app.ida.get(`/v1/recordings/${recording}/deals`)).json.items.map((one: { id: string }) => Number(one.id))

  const managerOf = async (recording: string) => (await crm.app.ida.get(`/v1/recordings/${recording}`)).json.managerName

  it('a submitted call belongs to its portal user, whatever its name or order of arrival', async () => {
    const [before, after, named] = [add(), add({ userId: boris }), add()]
    const recordings = [await submit(before.CALL_ID)]
    await crm.runSteps('calls')
    recordings.push(await submit(after.CALL_ID), await submit(named.CALL_ID, { managerName: 'Анна' }))
    await crm.linkDeals()
    const names = await Promise.all(recordings.map(managerOf))
    expect(names).to.deep.equal(['Anna Kovaleva', 'Boris Orlov', 'Anna Kovaleva'])
    const { managers } = (await crm.app.olga.get('/v1/recordings/facets')).json
    expect(managers).to.deep.equal([
      { name: 'Anna Kovaleva', count: 2 },
      { name: 'Boris Orlov', count: 1 },
    ])
    before.PORTAL_USER_ID = String(boris)
    await crm.runSteps('calls')
    expect(await managerOf(recordings[0]!), 'the portal has changed its mind').to.equal('Boris Orlov')
  })

  it('a submitted manager name stays if the portal names the same person or nobody', async () => {
    const [spelled, nobodys] = [add(), add({ userId: 777 })]
    const recordings = [
      await submit(spelled.CALL_ID, { managerName: 'ANNA KOVALEVA' }),
      await submit(nobodys.CALL_ID, { managerName: 'Clara' }),
    ]
    await crm.runSteps('calls')
    expect(await Promise.all(recordings.map(managerOf))).to.deep.equal(['ANNA KOVALEVA', 'Clara'])
  })

  /** Calls that would not be loaded, each for another reason. */
  const SEEDS = (): TestPortalCallSeed[] => [
    { seconds: 5, audio: AUDIO },
    { userId: boris, audio: AUDIO },
    { failedCode: '304' },
    { startedAt: Date.now() - 49 * 3600_000, audio: AUDIO },
    {},
  ]

  it('a submitted call is linked even if the rules would skip its portal call', async () => {
    const all = SEEDS().map((seed) => add(seed))
    const submitted = []
    for (const call of all) submitted.push(received(call.ID, await submit(call.CALL_ID)))
    // The first pass of `calls` starts at midnight of the day 48 hours ago, so it can miss this call, which is 49 hours old.
    await sendCallEndedEvent(crm.portal, crm.app.url, all[3]!)
    crm.portal.requests.length = 0
    await crm.runSteps('calls')
    await work()
    await crm.linkDeals()
    expect(await calls()).to.deep.equal(submitted)
    for (const { recording } of submitted) expect(await deals(recording)).to.deep.equal([deal])
    expect(crm.portal.findRequests('disk.file.get')).to.deep.equal([])
  })

  it('a call submitted after its portal row was skipped or awaits a file is linked', async () => {
    const late = SEEDS().map((seed) => add(seed))
    for (const call of late) await sendCallEndedEvent(crm.portal, crm.app.url, call)
    await work()
    expect((await calls()).map(({ state }) => state)).to.deep.equal([
      'skipped',
      'skipped',
      'skipped',
      'skipped',
      'awaiting-file',
    ])
    await crm.linkDeals()
    const submitted = []
    for (const call of late) submitted.push(received(call.ID, await submit(call.CALL_ID)))
    await crm.linkDeals()
    expect(await calls()).to.deep.equal(submitted)
    for (const { recording } of submitted) expect(await deals(recording)).to.deep.equal([deal])
    await crm.runSteps('calls')
    await crm.runBackground(crmFilesStep)
    expect(await calls(), 'nothing takes them back').to.deep.equal(submitted)
  })

  it('a call submitted during the load of its portal call is linked', async () => {
    const call = add({ seconds: 5 })
    await sendCallEndedEvent(crm.portal, crm.app.url, call)
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
    const jobs = createQueueWork(crm.core, crmSyncQueue)
    const attempt = (await jobs.claim())!
    await jobs.run(attempt, new AbortController().signal)
    const recording = await submit(call.CALL_ID)
    await jobs.store(attempt)
    expect(await calls()).to.deep.equal([received(call.ID, recording)])
  })

  it('the check for a late file links a call that was submitted meanwhile', async () => {
    const call = add()
    await sendCallEndedEvent(crm.portal, crm.app.url, call)
    await work()
    const recording = await submit(call.CALL_ID)
    await crm.sql('UPDATE crm_calls SET next_file_check_at = now()')
    await crm.runBackground(crmFilesStep)
    expect(await calls()).to.deep.equal([received(call.ID, recording)])
  })

  it('a submitted call with several portal rows is linked once, even after its deletion', async () => {
    const [short, long] = [add({ callId: 'moved', seconds: 5 }), add({ callId: 'moved', seconds: 90 })]
    const recording = await submit('moved')
    await crm.runSteps('calls')
    await work()
    const expected = [{ id: short.ID, state: 'doubled', reason: null, recording: null }, received(long.ID, recording)]
    expect(await calls()).to.deep.equal(expected)
    await crm.app.ida.delete(`/v1/recordings/${recording}`)
    await crm.runSteps('calls')
    await crm.linkDeals()
    expect(await calls()).to.deep.equal(expected)
    const again = await submit('moved')
    await crm.linkDeals()
    expect((await calls())[1]).to.deep.equal(received(long.ID, again))
  })

  it('a history load links submitted calls and does not load them again', async () => {
    const startedAt = Date.now() - 45 * DAY_MS
    const [theirs, ours] = [add({ startedAt, audio: AUDIO }), add({ startedAt, audio: Buffer.from('ours') })]
    const recording = await submit(theirs.CALL_ID)
    const period = { from: new Date(startedAt - DAY_MS).toISOString(), to: new Date(startedAt + DAY_MS).toISOString() }
    const estimate = (await crm.app.olga.post('/v1/crm/history/estimates', period)).json
    expect(estimate).to.include({ calls: 1, alreadyHere: 1 })
    const { id } = (await crm.app.olga.post('/v1/crm/history/loads', { estimateId: estimate.id })).json
    crm.portal.requests.length = 0
    await runHistoryLoads(crm.core)
    await crm.runDueJobs(crmHistoryLoadQueue)
    await runHistoryLoads(crm.core)
    expect((await crm.app.olga.get(`/v1/crm/history/loads/${id}`)).json).to.include({
      state: 'done',
      loaded: 1,
      skipped: 1,
    })
    expect(crm.portal.findRequests('disk.file.get').map(({ parameters }) => Number(parameters.id))).to.deep.equal([
      ours.RECORD_FILE_ID,
    ])
    expect((await calls())[0]).to.deep.equal(received(theirs.ID, recording))
  })
})
