import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../../test/portal/events.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmSyncQueue } from '../queues.ts'

const ANCIENT_TIME = '0001-01-01T00:00:00+03:00'

describe('quarantine of CRM rows', () => {
  const crm = new TestCrmApp()
  let anna: number
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
  })
  beforeEach(async () => {
    await crm.reset()
    await crm.sql('DELETE FROM recordings')
    anna = crm.portal.data.addUser('Anna', 'Kovaleva')
    crm.portal.data.addFunnel('Sales')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
  })
  after(() => crm.stop())

  const list = async (query = '') => (await crm.app.olga.get(`/v1/crm/quarantine${query}`)).json
  const ids = async (text: string) => (await crm.sql(text)).map(({ id }) => Number(id))

  it('the quarantine shows owners a row with its reason and invalid value', async () => {
    const call = crm.portal.data.addCall({ userId: anna })
    const secret = 'x'.repeat(5000)
    crm.portal.sends = (_, row) => (row.ID === call.ID ? { ...row, CALL_START_DATE: `never\0${secret}` } : row)
    await crm.runSteps('calls')
    const { items, total } = await list()
    expect(total).to.equal(1)
    expect(items[0]).to.include({
      step: 'calls',
      rowId: call.ID,
      reason: 'CALL_START_DATE is missing or invalid',
    })
    expect(items[0].value)
      .to.match(/^never\u2400x+…$/)
      .and.have.length(101)
    expect(await list('?step=users')).to.deep.include({ items: [], total: 0 })
    expect((await fetch(`${crm.app.url}/v1/crm/quarantine`)).status).to.equal(401)
    expect((await crm.app.ida.get('/v1/crm/quarantine')).status).to.equal(403)
  })

  it('a row with invalid optional values is stored, and these values are counted', async () => {
    const id = crm.portal.data.addDeal('Windows')
    Object.assign(crm.portal.data.deals.get(id)!, {
      closedate: '9999-12-31T23:59:59-05:00',
      opportunity: '9'.repeat(40),
    })
    await crm.runSteps('funnels', 'stages', 'deals')
    expect(await crm.fetchStep('deals')).to.include({ new: 1, invalidValues: 2, quarantined: 0 })
    const rows = await crm.sql('SELECT planned_close_on AS day, amount FROM crm_deals')
    expect(rows).to.deep.equal([{ day: null, amount: null }])
  })

  it('a row that Postgres rejects is quarantined, and the rest of its page is stored', async () => {
    for (let n = 0; n < 40; n++) crm.portal.data.addUser(n % 10 === 3 ? 'Refused' : `User ${n}`, 'Many')
    await crm.sql(`ALTER TABLE crm_users ADD CONSTRAINT refuse CHECK (name NOT LIKE 'Refused%')`)
    try {
      await crm.runSteps('users')
      expect(await crm.fetchStep('users')).to.include({
        state: 'waiting',
        lastError: null,
        read: 41,
        new: 37,
        quarantined: 4,
      })
      const { items } = await list()
      expect(items[0].reason).to.equal('the database rejected this row (code 23514)')
      expect(await ids('SELECT id FROM crm_users')).to.have.length(37)
    } finally {
      await crm.sql('ALTER TABLE crm_users DROP CONSTRAINT refuse')
    }
    await crm.runSteps('users')
    expect(await crm.fetchStep('users')).to.include({ new: 4, quarantined: 0 })
  })

  it('the quarantine keeps at most 500 rows of a step', async () => {
    for (let n = 0; n < 620; n++) crm.portal.data.addCall({ userId: anna })
    crm.portal.sends = (method, row) => (method === 'user.get' ? row : { ...row, CALL_START_DATE: ANCIENT_TIME })
    await crm.runSteps('calls')
    expect(await crm.fetchStep('calls')).to.include({ state: 'waiting', read: 620, quarantined: 500 })
    expect((await list('?pageSize=100&page=5')).items).to.have.length(100)
  })

  it('a call from an event stays in quarantine until its row is corrected', async () => {
    const call = crm.portal.data.addCall({ userId: anna, audio: Buffer.from('sound') })
    crm.portal.sends = (_, row) => (row.ID === call.ID ? { ...row, CALL_START_DATE: ANCIENT_TIME } : row)
    await sendCallEndedEvent(crm.portal, crm.app.url, call)
    const work = async () => {
      await crm.makeJobsDue()
      await crm.runDueJobs(crmSyncQueue)
    }
    await work()
    const [{ error }] = await crm.sql('SELECT last_error AS error FROM crm_sync_jobs')
    expect(error).to.match(/data about the call cannot be stored: CALL_START_DATE is missing/)
    expect((await list()).total).to.equal(1)
    crm.portal.sends = (_, row) => row
    await work()
    expect((await list()).total).to.equal(0)
    expect(await crm.sql('SELECT load_state AS state FROM crm_calls')).to.deep.equal([{ state: 'received' }])
  })

  it('an id that is out of order does not hide later rows', async () => {
    const calls = Array.from({ length: 120 }, () => crm.portal.data.addCall({ userId: anna, seconds: 10 }))
    for (const hostile of [20, 49, 119]) {
      await crm.app.olga.post('/v1/crm/steps/calls/reset')
      await crm.sql('DELETE FROM crm_calls')
      crm.portal.sends = (_, row) => (row.ID === calls[hostile]!.ID ? { ...row, ID: '999999999999' } : row)
      await crm.runSteps('calls')
      expect(await ids('SELECT id FROM crm_calls'), `row ${hostile}`).to.have.length(119)
      expect(await crm.fetchStep('calls')).to.include({ lastError: null, quarantined: 1 })
      const late = crm.portal.data.addCall({ userId: anna, seconds: 10 })
      await crm.runSteps('calls')
      expect(await ids('SELECT id FROM crm_calls'), `row ${hostile}`).to.include(Number(late.ID))
      crm.portal.data.calls.remove(Number(late.ID))
    }
  })
})
