import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'

const KILL_COUNT = chooseRepeatCount(2, 50)
const CALL_COUNT = 300

/** Each worker is killed soon after a request with the next of these methods. */
const KILLED_METHODS = [
  'crm.item.list',
  'crm.stagehistory.list',
  'crm.contact.list',
  'user.get',
  'department.get',
  'crm.category.list',
  'crm.status.list',
  'voximplant.statistic.get',
]

describe('CRM steps in killed processes', () => {
  let crm: TestCrmApp
  before(async () => {
    crm = await new TestCrmApp().start()
    await crm.disableLimiter()
    const { data } = crm.portal
    data.addFunnel('Sales')
    for (let n = 0; n < 60; n++) data.addUser(`User ${n}`, 'Many')
    for (let n = 0; n < 700; n++) {
      const contact = data.addContact(`Contact ${n}`, [`+37529${1_000_000 + n}`])
      data.addDeal(`Deal ${n}`, { contactId: contact, contactIds: [contact] })
    }
    const anna = data.addUser('Anna', 'Kovaleva')
    for (let n = 0; n < CALL_COUNT; n++) data.addCall({ userId: anna, failedCode: '304' })
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await crm.enableAutomation()
  })
  after(() => crm.stop())

  it(`${KILL_COUNT} kills of the worker lose and duplicate no row`, async () => {
    crm.portal.latencyMs = 15
    const start = async () => {
      const worker = new ServiceProcess('api', { ...crm.app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' })
      await worker.waitUntilReady()
      return worker
    }
    /** Expires the leases of dead processes and makes each step due. */
    const later = async () => {
      await crm.sql(`UPDATE crm_steps SET lease_until = now() - interval '1 s' WHERE lease_until IS NOT NULL`)
      await crm.sql(`UPDATE crm_steps SET due_at = now()`)
      await crm.sql('UPDATE crm_contacts SET due_at = now()')
      await crm.sql(`UPDATE crm_lanes SET lease_until = now() WHERE lease_until IS NOT NULL`)
    }
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      const worker = await start()
      const requestsBefore = crm.portal.requests.length
      const method = KILLED_METHODS[kill % KILLED_METHODS.length]!
      await waitUntil(`it asks ${method}`, () =>
        crm.portal.requests.slice(requestsBefore).some((one) => one.method === method),
      )
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 700))
      worker.kill('SIGKILL')
      await worker.waitForExit()
      await later()
    }
    crm.portal.latencyMs = 0
    const worker = await start()
    await waitUntil('all is read', async () => {
      await crm.sql(`UPDATE crm_steps SET due_at = now() WHERE lease_until IS NULL AND last_success_at IS NULL`)
      const read = await crm.sql('SELECT FROM crm_steps WHERE last_success_at IS NOT NULL')
      const [{ due }] = await crm.sql('SELECT count(*)::int AS due FROM crm_contacts WHERE due_at <= now()')
      return read.length >= 9 && due === 0
    })
    await worker.stop()
    const count = async (table: string) => (await crm.sql(`SELECT count(*)::int AS n FROM ${table}`))[0].n
    expect(await count('crm_users')).to.equal(crm.portal.data.users.rows.length)
    expect(await count('crm_deals')).to.equal(700)
    expect(await count('crm_stage_history')).to.equal(crm.portal.data.stageHistory.rows.length)
    expect(await count('crm_phones')).to.equal(700)
    expect(await count('crm_calls')).to.equal(CALL_COUNT)
  }).timeout(KILL_COUNT * 10_000 + 300_000)
})
