import { expect } from 'chai'
import { CHECK_PRIORITY } from '../../check/checks/check-requests.ts'
import { analysisQueue } from '../../check/checks/queue.ts'
import { isCrmAutomationOn } from '../../crm/automation/state.ts'
import { crmSyncQueue } from '../../crm/queues.ts'
import { insertCalls, type TestCallRow } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { waitUntil } from '../../test/wait.ts'

const [CLIENT, OTHER] = ['+375291234567', '+375291110000']
const DAY_MS = 24 * 3600_000

describe('effects of a correction on CRM links', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let cast: TestPeople
  let [anna, boris, windows, roof] = [0, 0, 0, 0]
  before(async () => {
    await crm.start({ ANALYSIS_SEED_RULES: false })
    await crm.disableLimiter()
    ;[anna, boris] = [data.addUser('Anna', 'Kovaleva'), data.addUser('Boris', 'Orlov')]
    data.addFunnel('General')
    windows = data.addDeal('Windows', { contactId: data.addContact('Client', [CLIENT]) })
    roof = data.addDeal('Roof', { contactId: data.addContact('Other', [OTHER]) })
    await crm.enableAutomation()
    cast = await createTestPeople(crm.app)
    await crm.sql(`UPDATE departments SET funnels = '{0}'`)
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps('users', 'funnels', 'stages', 'deals', 'contacts')
    const members = [anna, boris].map((userId) => ({ userId: String(userId), departmentId: cast.support }))
    expect((await crm.app.olga.put('/v1/crm/roster', { members })).status).to.equal(200)
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['recordings', 'crm_calls', 'crm_sync_jobs']) await crm.sql(`DELETE FROM ${table}`)
    data.calls.clear()
  })

  const addCall = async (more: TestCallRow = {}) =>
    (await insertCalls(crm.app, [{ at: new Date().toISOString(), createdAt: new Date().toISOString(), ...more }]))[0]!
  const correct = async (id: string, fields: object, client = crm.app.olga) => {
    const { status, json } = await client.patch(`/v1/recordings/${id}`, fields)
    expect(status, JSON.stringify(json)).to.equal(200)
    return json
  }
  const match = () => crm.linkDeals()
  const deals = async (id: string) => {
    await match()
    const { items } = (await crm.app.ida.get(`/v1/recordings/${id}/deals`)).json
    return items.map((deal: { id: string }) => Number(deal.id))
  }
  const portalCalls = () =>
    crm.sql('SELECT call_id AS id, load_state AS state, recording_id AS recording FROM crm_calls ORDER BY crm_calls.id')
  const managerName = async (id: string) => (await crm.app.olga.get(`/v1/recordings/${id}`)).json.managerName
  const work = async () => {
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
    await crm.runDueJobs(crmSyncQueue)
  }

  const addChecked = async (more: TestCallRow) => {
    const id = await addCall(more)
    await replaceTranscript(crm.app, id, makeTurnSegments('Добрый день'))
    await crm.app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return id
  }
  const priorityOfCheck = async (id: string) =>
    (await crm.sql(`SELECT priority FROM analyses WHERE recording_id = $1 AND status = 'QUEUED'`, [id]))[0]?.priority
  const checkedBy = async (id: string) => {
    await crm.runDueJobs(analysisQueue)
    return (await crm.app.olga.get(`/v1/recordings/${id}/analysis`)).json.ruleSet.key
  }

  it('a corrected phone links the call to the deal of that phone', async () => {
    const id = await addCall({ phone: CLIENT })
    expect(await deals(id)).to.deep.equal([windows])
    await correct(id, { phoneNumber: OTHER })
    expect(await deals(id)).to.deep.equal([roof])
    await correct(id, { phoneNumber: null })
    expect(await deals(id)).to.deep.equal([])
  })

  it('a corrected time unlinks the deal if the call is too old', async () => {
    const id = await addCall({ phone: CLIENT })
    expect(await deals(id)).to.deep.equal([windows])
    await correct(id, { callStartedAt: new Date(Date.now() - 20 * DAY_MS).toISOString() })
    expect(await deals(id)).to.deep.equal([])
  })

  it('the corrected phone of a CRM call takes precedence over the phone in the CRM', async () => {
    const call = data.addCall({ userId: anna, phone: CLIENT, dealIds: null })
    const id = await addCall({ externalCallId: call.CALL_ID, phone: CLIENT })
    await crm.runSteps('calls')
    expect(await deals(id)).to.deep.equal([windows])
    await correct(id, { phoneNumber: OTHER })
    expect(await deals(id)).to.deep.equal([roof])
  })

  it('a call with an unreadable phone is matched by the phone in the CRM', async () => {
    const call = data.addCall({ userId: anna, phone: CLIENT, dealIds: null })
    const id = await addCall({ externalCallId: call.CALL_ID, phone: 'hidden' })
    await crm.runSteps('calls')
    expect(await deals(id)).to.deep.equal([windows])
  })

  it('a correction keeps the deals that a person chose', async () => {
    const id = await addCall({ phone: CLIENT })
    await crm.app.olga.put(`/v1/recordings/${id}/deals`, { dealIds: [String(roof)] })
    await correct(id, { phoneNumber: null, externalCallId: 'another', managerName: 'Anna Kovaleva' })
    expect(await deals(id)).to.deep.equal([roof])
  })

  it('a call that gets the id of a CRM call gets its deal and user', async () => {
    const call = data.addCall({ userId: anna, dealIds: [roof], audio: Buffer.from('theirs') })
    await crm.runSteps('calls')
    const id = await addCall({ externalCallId: 'mistyped' })
    const response = await correct(id, { externalCallId: call.CALL_ID })
    expect(response).to.deep.include({
      managerName: 'Anna Kovaleva',
      department: { id: cast.support, name: 'Support' },
    })
    expect(await portalCalls()).to.deep.equal([{ id: call.CALL_ID, state: 'received', recording: id }])
    await work()
    expect(await portalCalls()).to.deep.equal([{ id: call.CALL_ID, state: 'received', recording: id }])
    expect(await crm.sql('SELECT id FROM recordings')).to.deep.equal([{ id }])
    expect(await deals(id)).to.deep.equal([roof])
    const [entry] = (await crm.app.olga.get(`/v1/audit?action=recording.correct&object=${id}`)).json.items
    expect(entry.details).to.deep.equal({
      before: { externalCallId: 'mistyped', managerName: null },
      after: { externalCallId: call.CALL_ID, managerName: 'Anna Kovaleva' },
    })
  })

  it('if a call loses its CRM id, the CRM call is unlinked and loaded again', async () => {
    const call = data.addCall({ userId: anna, dealIds: [roof], audio: Buffer.from('theirs') })
    const id = await addCall({ externalCallId: call.CALL_ID, manager: 'Max' })
    await crm.runSteps('calls')
    expect([await deals(id), await managerName(id)]).to.deep.equal([[roof], 'Anna Kovaleva'])
    await correct(id, { externalCallId: 'another' })
    expect([await deals(id), await managerName(id)]).to.deep.equal([[], 'Max'])
    expect(await portalCalls()).to.deep.equal([{ id: call.CALL_ID, state: 'waiting', recording: null }])
    await work()
    const [loaded] = await portalCalls()
    expect(loaded).to.include({ state: 'received' }).and.not.include({ recording: id })
  })

  it('a correction of the CRM id does not wait for a running sync job', async () => {
    const call = data.addCall({ userId: anna })
    const id = await addCall({ externalCallId: call.CALL_ID })
    await crm.runSteps('calls')
    await crm.sql(`INSERT INTO crm_sync_jobs (call_id, status) VALUES ($1, 'PROCESSING')`, [call.CALL_ID])
    const worker = await crm.app.db.connect()
    try {
      await worker.query('BEGIN')
      await worker.query('SELECT FROM crm_sync_jobs FOR UPDATE')
      await correct(id, { externalCallId: 'another' })
    } finally {
      await worker.query('ROLLBACK')
      worker.release()
    }
  })

  it('a call loaded from the CRM can be linked to another CRM call', async () => {
    const [first, second] = [1, 2].map((n) => data.addCall({ userId: n === 1 ? anna : boris, audio: Buffer.from(`${n}`) }))
    await crm.runSteps('calls')
    await work()
    const [one, two] = (await portalCalls()).map(({ recording }) => recording as string)
    await correct(two!, { externalCallId: null })
    expect(await managerName(two!)).to.equal('Boris Orlov')
    await crm.app.olga.delete(`/v1/recordings/${two}`)
    await correct(one!, { externalCallId: second!.CALL_ID })
    expect(await managerName(one!)).to.equal('Boris Orlov')
    const [freed, taken] = await portalCalls()
    expect(freed).to.deep.equal({ id: first!.CALL_ID, state: 'waiting', recording: null })
    expect(taken).to.deep.equal({ id: second!.CALL_ID, state: 'received', recording: one })
  }) // prettier-ignore

  it('a manager set by a person overrides the CRM user until the name is cleared', async () => {
    const call = data.addCall({ userId: anna })
    const id = await addCall({ externalCallId: call.CALL_ID })
    await crm.runSteps('calls')
    await match()
    await correct(id, { managerName: 'Boris Orlov' })
    await crm.runSteps('calls')
    await match()
    expect(await managerName(id)).to.equal('Boris Orlov')
    expect(await correct(id, { managerName: null })).to.include({ managerName: 'Anna Kovaleva' })
  })

  it('a corrected id does not give a call to a manager invisible to the person', async () => {
    const [unseen, seen] = [data.addCall({ userId: boris }), data.addCall({ userId: anna })]
    await crm.runSteps('calls')
    const id = await addCall({ manager: 'Max' })
    expect(await correct(id, { externalCallId: unseen.CALL_ID }, cast.max)).to.include({ managerName: 'Max' })
    await crm.runSteps('calls')
    expect(await managerName(id)).to.equal('Max')
    const hers = await addCall({ manager: 'Max' })
    await crm.sql('UPDATE department_managers SET department_id = $1 WHERE name = $2', [cast.sales, 'Anna Kovaleva'])
    expect(await correct(hers, { externalCallId: seen.CALL_ID }, cast.hanna)).to.include({
      managerName: 'Anna Kovaleva',
    })
    await crm.sql('UPDATE department_managers SET department_id = $1 WHERE name = $2', [cast.support, 'Anna Kovaleva'])
  })

  it('a corrected direction or department selects its rule set for a new check', async () => {
    await createPublishedRuleSet(crm.app.olga, 'in', { applies: { direction: ['INBOUND'] } })
    await createPublishedRuleSet(crm.app.olga, 'out', { applies: { direction: ['OUTBOUND'] } })
    await createPublishedRuleSet(crm.app.olga, 'support', { applies: { departmentIds: [cast.support] } })
    const id = await addChecked({ direction: 'INBOUND', manager: 'Max' })
    expect(await checkedBy(id)).to.equal('in')
    await correct(id, { direction: 'OUTBOUND' })
    expect(await checkedBy(id)).to.equal('out')
    await correct(id, { managerName: 'Anna Kovaleva' })
    expect(await priorityOfCheck(id), 'somebody waits for it').to.equal(CHECK_PRIORITY.person)
    expect(await checkedBy(id)).to.equal('support')
    await correct(id, { phoneNumber: OTHER, managerName: 'Boris Orlov' })
    const checks = 'SELECT count(*)::int AS n FROM analyses WHERE recording_id = $1'
    expect(await crm.sql(checks, [id]), 'the same department').to.deep.equal([{ n: 3 }])
  })

  it('without automatic checking, a correction marks the check as outdated until a rerun', async () => {
    const automatic = (value: boolean) =>
      crm.app.olga.put('/v1/analysis/settings', { agentChannel: { default: 0 }, automatic: value })
    const outdated = async (id: string) => (await crm.app.olga.get(`/v1/recordings/${id}/analysis`)).json.outdated
    const id = await addChecked({ direction: 'INBOUND', manager: 'Max' })
    expect(await checkedBy(id)).to.equal('in')
    await automatic(false)
    await correct(id, { direction: 'OUTBOUND' })
    expect([await checkedBy(id), await outdated(id)]).to.deep.equal(['in', true])
    await crm.app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('it is checked again', async () => (await checkedBy(id)) === 'out')
    expect(await outdated(id)).to.equal(false)
    await automatic(true)
  })

  it('while the call check is off, a correction only marks the check as outdated', async () => {
    const id = await addChecked({ direction: 'INBOUND', manager: 'Max' })
    expect(await checkedBy(id)).to.equal('in')
    await crm.app.restart({ ANALYSIS_PROVIDER: 'none' })
    await correct(id, { direction: 'OUTBOUND' })
    const { status, outdated } = (await crm.app.olga.get(`/v1/recordings/${id}/analysis`)).json
    expect([status, outdated]).to.deep.equal(['done', true])
    await crm.app.restart({ ANALYSIS_PROVIDER: 'rules' })
  })

  it('a manager from the CRM later selects the rule set of the department', async () => {
    const call = data.addCall({ userId: anna })
    const id = await addChecked({ direction: 'INBOUND', externalCallId: call.CALL_ID })
    expect(await checkedBy(id)).to.equal('in')
    await crm.runSteps('calls')
    expect(await priorityOfCheck(id), 'new calls come first').to.equal(CHECK_PRIORITY.recheck)
    expect(await checkedBy(id)).to.equal('support')
  })
})
