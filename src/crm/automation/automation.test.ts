import { expect } from 'chai'
import { BACKGROUND_STEPS } from '../../app/queues.ts'
import { runStep } from '../../platform/queue/steps.ts'
import { SCHEDULED_TASKS } from '../../app/schedule.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { waitUntil } from '../../test/wait.ts'
import { probeBlockedPortal } from './service.ts'
import { isCrmAutomationOn } from './state.ts'

describe('CRM automation', () => {
  let crm: TestCrmApp
  before(async () => {
    crm = await new TestCrmApp().start()
    await crm.disableLimiter()
  })
  after(() => crm.stop())
  beforeEach(async () => {
    crm.portal.faults = []
    crm.portal.read.state = 'valid'
    crm.portal.read.scopes = ['crm', 'telephony', 'user_basic', 'department', 'disk']
    crm.portal.statisticsRights = 'all'
    crm.portal.requests.length = 0
    await crm.sql('DELETE FROM crm_automation')
    await crm.sql('DELETE FROM crm_steps')
  })

  const olga = () => crm.app.olga
  const post = (path: string) => olga().post(`/v1/crm/${path}`)
  const read = async () => (await olga().get('/v1/crm/automation')).json
  const connection = async () => (await olga().get('/v1/crm/connection')).json
  const host = () => new URL(crm.portal.url).host
  /** Runs each step that is ready and each scheduled task once. */
  const runAll = async () => {
    for (const step of BACKGROUND_STEPS) if ((await step.isReady?.(crm.core)) !== false) await runStep(crm.core, step)
    for (const task of SCHEDULED_TASKS) await task.run(crm.core, new AbortController().signal)
  }
  /** Waits until the service sees that the automation is on or off. */
  const believed = (on: boolean) =>
    waitUntil(
      `the schedule believes that it is ${on ? 'on' : 'off'}`,
      async () => (await isCrmAutomationOn(crm.core)) === on,
    )

  it('a new installation sends no request to the CRM', async () => {
    expect(await read()).to.deep.include({ state: 'off', reason: null, confirmedAt: null, enabledAt: null })
    for (let hour = 0; hour < 24; hour++) {
      await crm.sql(`UPDATE crm_steps SET due_at = due_at - interval '1 hour'`)
      await crm.sql(`UPDATE crm_automation SET next_probe_at = next_probe_at - interval '1 hour'`)
      crm.portal.advanceClock(3600_000)
      await runAll()
    }
    crm.portal.shiftMs = 0
    expect(crm.portal.requests).to.deep.equal([])
    expect((await post('steps/users/run')).status).to.equal(409)
    expect(crm.portal.requests).to.deep.equal([])
  })

  it('the automation can be enabled only after a successful check and its confirmation', async () => {
    for (const path of ['confirm', 'enable', 'pause', 'resume']) {
      expect((await post(`automation/${path}`)).status, path).to.equal(409)
    }
    const checked = await post('connection/check')
    expect(checked.json).to.deep.include({
      configured: true,
      host: host(),
      state: 'off',
      reason: null,
      scopes: crm.portal.read.scopes,
      missingScopes: [],
      eventToken: 'unset',
      writing: { configured: true, on: false, since: null },
    })
    expect(checked.json.user.id).to.equal('1')
    expect((await post('automation/enable')).json.message).to.equal('Confirm the portal first')
    expect((await post('automation/confirm')).json.state).to.equal('off')
    const enabled = await post('automation/enable')
    expect([enabled.status, enabled.json.state]).to.deep.equal([200, 'on'])
    expect((await post('automation/pause')).json.state).to.equal('paused')
    expect((await post('automation/pause')).status).to.equal(409)
    expect((await post('automation/resume')).json.state).to.equal('on')
    expect((await post('automation/disable')).json.state).to.equal('off')
    const log = (await olga().get('/v1/audit?pageSize=100')).json.items.map(({ action }: { action: string }) => action)
    expect(log).to.include.members(
      ['check', 'confirm', 'enable', 'pause', 'resume', 'disable'].map((action) => `crm.${action}`),
    )
  })

  it('an enabled automation reads at once, a paused one does not; restarts keep the state', async () => {
    await crm.enableAutomation()
    await believed(true)
    await runAll()
    expect(crm.portal.findRequests('user.get')).to.have.length(1)
    await post('automation/pause')
    await believed(false)
    const requestsBefore = crm.portal.requests.length
    await crm.sql('UPDATE crm_steps SET due_at = now()')
    await runAll()
    expect(crm.portal.requests).to.have.length(requestsBefore)
    await crm.app.restart()
    expect((await read()).state).to.equal('paused')
    await post('automation/resume')
    await crm.app.restart()
    expect((await read()).state).to.equal('on')
  })

  it('only enabling from off sets a new start time of the automation', async () => {
    await crm.enableAutomation()
    await crm.sql(`UPDATE crm_automation SET enabled_at = now() - interval '5 days'`)
    const { enabledAt } = await read()
    expect((await post('automation/enable')).json).to.include({ state: 'on', enabledAt })
    await post('automation/pause')
    expect((await post('automation/enable')).json).to.include({ state: 'on', enabledAt })
    await post('automation/disable')
    expect((await post('automation/enable')).json.enabledAt).to.satisfy((at: string) => at > enabledAt)
  })

  it('a failed check of the connection reports its reason with status 200', async () => {
    const reasons: [() => void, RegExp][] = [
      [() => (crm.portal.read.scopes = ['crm', 'user_basic']), /lacks permissions: telephony, department, disk$/],
      [() => (crm.portal.statisticsRights = 'none'), /cannot see the statistics of calls$/],
      [() => (crm.portal.faults = [{ fault: toPortalFault(PORTAL_ERRORS.plan) }]), /only on commercial plans/],
      [() => (crm.portal.read.state = 'removed'), /INVALID_CREDENTIALS/],
      [() => (crm.portal.faults = [{ fault: { kind: 'html' } }]), /something other than JSON/],
      [() => (crm.portal.faults = [{ fault: { kind: 'drop-before' } }]), /cannot be reached/],
    ]
    for (const [cause, reason] of reasons) {
      crm.portal.faults = []
      crm.portal.read.scopes = ['crm', 'telephony', 'user_basic', 'department', 'disk']
      crm.portal.statisticsRights = 'all'
      cause()
      const { status, json, text } = await post('connection/check')
      expect([status, json.state]).to.deep.equal([200, 'off'])
      expect(json.reason).to.match(reason)
      expect(text).not.to.contain(crm.portal.read.code)
      expect((await post('automation/confirm')).status).to.equal(409)
    }
  })

  it('a fatal error blocks the automation until a check or hourly probe succeeds', async () => {
    await crm.enableAutomation()
    await believed(true)
    crm.portal.read.state = 'expired'
    await crm.runSteps('users')
    expect(await read()).to.deep.include({ state: 'blocked' })
    expect((await read()).reason).to.match(/expired_token/)
    const requestsBefore = crm.portal.requests.length
    await believed(false)
    await runAll()
    expect(crm.portal.requests, 'until the hour is over').to.have.length(requestsBefore)
    expect((await post('automation/enable')).status).to.equal(409)
    await crm.sql('UPDATE crm_automation SET next_probe_at = now()')
    await probeBlockedPortal(crm.core)
    expect((await read()).state).to.equal('blocked')
    crm.portal.read.state = 'valid'
    await crm.sql('UPDATE crm_automation SET next_probe_at = now()')
    await probeBlockedPortal(crm.core)
    expect(await read()).to.deep.include({ state: 'on', reason: null })
    crm.portal.read.state = 'removed'
    await believed(true)
    await crm.runSteps('users')
    expect((await read()).state).to.equal('blocked')
    crm.portal.read.state = 'valid'
    expect((await post('connection/check')).json.state).to.equal('on')
  })

  it('the automation is blocked while CRM_WEBHOOK_URL is missing or belongs to another portal', async () => {
    await crm.enableAutomation()
    const other = 'https://other.example/rest/1/s3cretOfAnother/'
    await crm.app.restart({ CRM_WEBHOOK_URL: other })
    expect((await connection()).reason).to.match(
      /^CRM_WEBHOOK_URL belongs to other\.example, but the data here comes from /,
    )
    expect(await connection()).to.deep.include({ state: 'blocked', host: 'other.example' })
    const checked = await post('connection/check')
    expect(checked.json.state).to.equal('blocked')
    expect(checked.text).not.to.contain('s3cret')
    await crm.app.restart({ CRM_WEBHOOK_URL: undefined as never })
    expect(await connection()).to.deep.include({ configured: false, host: null, state: 'blocked' })
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl })
    expect((await connection()).state).to.equal('on')
  })

  it('enabling the automation turns on automatic checks, resuming it does not', async () => {
    const settings = (changes: object) =>
      olga().put('/v1/analysis/settings', { agentChannel: { default: 0 }, ...changes })
    const isAutomatic = async () => (await olga().get('/v1/analysis/settings')).json.automatic
    await settings({ automatic: false })
    await crm.enableAutomation()
    expect(await isAutomatic()).to.equal(true)
    await settings({ automatic: false })
    await post('automation/pause')
    await post('automation/resume')
    expect(await isAutomatic()).to.equal(false)
    await post('automation/disable')
    await crm.app.restart({ ANALYSIS_PROVIDER: 'none' })
    await post('automation/enable')
    expect(await isAutomatic(), 'nothing can check').to.equal(false)
    await post('automation/disable')
    await crm.app.restart({ ANALYSIS_PROVIDER: 'rules' })
    await post('automation/enable')
    const [entry] = (await olga().get('/v1/audit?action=settings.change')).json.items
    expect(entry.details.after).to.deep.equal({ automatic: true })
  })

  it('disabling the automation turns the writing of comments off permanently', async () => {
    await crm.enableAutomation()
    expect((await olga().put('/v1/crm/writing', { on: true })).json.on).to.equal(true)
    await post('automation/disable')
    expect((await connection()).writing).to.include({ on: false, since: null })
    await post('automation/enable')
    expect((await olga().get('/v1/crm/writing')).json.on).to.equal(false)
    const [entry] = (await olga().get('/v1/audit?action=crm.writing')).json.items
    expect(entry.details).to.deep.equal({ before: { on: true }, after: { on: false } })
  })

  it('a check result is shown only for the webhook that was checked', async () => {
    await crm.app.restart({ CRM_WEBHOOK_URL: undefined as never })
    expect((await post('connection/check')).json.reason).to.equal('CRM_WEBHOOK_URL is not set')
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl })
    const unchecked = { configured: true, reason: null, reasonCode: null, checkedAt: null, user: null }
    expect(await connection()).to.include(unchecked)
    expect((await post('connection/check')).json.user.id).to.equal('1')
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl.replace(/rest\/1\//, 'rest/7/') })
    expect(await connection()).to.include(unchecked)
    expect((await post('automation/confirm')).status, 'it did not pass with this one').to.equal(409)
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl })
  })

  it('a blocked automation is probed again after a start with another webhook', async () => {
    await crm.enableAutomation()
    await believed(true)
    crm.portal.read.state = 'removed'
    await crm.runSteps('users')
    expect((await read()).state).to.equal('blocked')
    crm.portal.read.state = 'valid'
    await crm.app.restart()
    await probeBlockedPortal(crm.core)
    expect((await read()).state, 'the same webhook is asked after an hour').to.equal('blocked')
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl.replace(/\/$/, '') })
    await probeBlockedPortal(crm.core)
    expect((await read()).state).to.equal('on')
    await crm.app.restart({ CRM_WEBHOOK_URL: crm.portal.readUrl })
  })

  it('API keys can read the CRM connection, but only owners can change the automation', async () => {
    expect((await crm.app.ida.get('/v1/crm/connection')).status).to.equal(200)
    for (const path of ['connection/check', 'automation/enable', 'steps/users/run', 'steps/users/reset', 'reset']) {
      expect((await crm.app.ida.post(`/v1/crm/${path}`)).status, path).to.equal(403)
    }
    for (const path of ['automation', 'steps']) {
      expect((await crm.app.ida.get(`/v1/crm/${path}`)).status, path).to.equal(403)
    }
  })
})
