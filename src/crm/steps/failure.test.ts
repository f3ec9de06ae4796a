import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { BITRIX_LIMITS, NO_PORTAL_LIMITS } from '../../test/portal/limits.ts'
import type { CrmStepName } from './schema.ts'

describe('failing CRM steps', () => {
  const crm = new TestCrmApp()
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
  })
  beforeEach(async () => {
    await crm.reset()
    crm.portal.data.addFunnel('Sales')
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
  })
  after(() => crm.stop())

  const dealIds = async () => (await crm.sql('SELECT id::int FROM crm_deals ORDER BY id')).map(({ id }) => id)
  const portalIds = () => crm.portal.data.deals.rows.map(({ id }) => id).sort((a, b) => a - b)

  const OUTCOMES: [string, object, CrmStepName, string][] = [
    ['a server error', toPortalFault(PORTAL_ERRORS.internal), 'users', 'backing-off'],
    ['a page instead of JSON', { kind: 'html', status: 200 }, 'users', 'backing-off'],
    ['a truncated response', { kind: 'cut' }, 'users', 'backing-off'],
    ['a missing right', toPortalFault(PORTAL_ERRORS.denied), 'users', 'blocked'],
    [
      'an empty code with a denial',
      { kind: 'error', status: 400, code: '', description: 'Access denied.' },
      'funnels',
      'blocked',
    ],
    ['an unknown method', toPortalFault(PORTAL_ERRORS.noMethod), 'users', 'attention'],
    ['an invalid argument', { kind: 'error', status: 400, code: 'INVALID_ARG_VALUE' }, 'users', 'attention'],
    ['a temporarily closed method', toPortalFault(PORTAL_ERRORS.operating), 'users', 'backing-off'],
  ]
  it('the error of a failed step decides whether the step retries, waits or is blocked', async () => {
    for (const [what, fault, name, state] of OUTCOMES) {
      await crm.app.olga.post(`/v1/crm/steps/${name}/reset`)
      crm.portal.faults = [{ method: name === 'users' ? 'user.get' : 'crm.category.list', fault: fault as never }]
      await crm.runSteps(name)
      const step = await crm.fetchStep(name)
      expect(step.state, what).to.equal(state)
      expect(step.lastError, what).to.be.a('string')
      expect(step.lastSuccessAt, what).to.equal(null)
      await crm.sql('DELETE FROM crm_method_pauses')
    }
    crm.portal.faults = []
    const run = await crm.app.olga.post('/v1/crm/steps/users/run')
    expect([run.status, run.json.state]).to.deep.equal([202, 'backing-off'])
    await crm.app.olga.post('/v1/crm/steps/funnels/run')
    await crm.runSteps('users', 'funnels')
    expect([(await crm.fetchStep('users')).state, (await crm.fetchStep('funnels')).state]).to.deep.equal([
      'waiting',
      'waiting',
    ])
  })

  it('pauses of a failing step double to an hour; five failures call for attention', async () => {
    crm.portal.faults = [{ method: 'user.get', fault: toPortalFault(PORTAL_ERRORS.internal) }]
    const pauses: number[] = []
    const states: string[] = []
    for (let n = 0; n < 9; n++) {
      await crm.runSteps('users')
      const [row] = await crm.sql(
        `SELECT round(extract(epoch FROM due_at - now()))::int AS pause FROM crm_steps WHERE name = 'users'`,
      )
      pauses.push(Math.round(row.pause / 10) * 10)
      states.push((await crm.fetchStep('users')).state)
    }
    expect(pauses).to.deep.equal([30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
    expect(states.slice(3, 6)).to.deep.equal(['backing-off', 'attention', 'attention'])
    crm.portal.faults = []
    await crm.runSteps('users')
    expect(await crm.fetchStep('users')).to.include({ state: 'waiting', lastError: null })
  })

  it('a failed step continues at the failed page and stores each row once', async () => {
    for (let n = 0; n < 170; n++) crm.portal.data.addDeal(`Deal ${n}`)
    await crm.runSteps('funnels', 'stages')
    const [, , third] = [0, 50, 100].map((behind) => portalIds()[behind]!)
    crm.portal.faults = [
      { method: 'crm.item.list', fault: { kind: 'drop-after' }, when: ({ filter }) => Number((filter as never)['>id']) >= third! - 1 },
    ] // prettier-ignore
    await crm.runSteps('deals')
    expect(await dealIds()).to.have.length(100)
    expect(await crm.fetchStep('deals')).to.include({ state: 'backing-off', read: 100, new: 100 })
    crm.portal.faults = []
    crm.portal.requests.length = 0
    await crm.runSteps('deals')
    expect(crm.portal.findRequests('crm.item.list')).to.have.length(2)
    expect(await dealIds()).to.deep.equal(portalIds())
    expect(await crm.fetchStep('deals')).to.include({ state: 'waiting', read: 170, new: 170 })
  })

  it('a step waits without a failure until the portal reopens a method', async () => {
    crm.portal.limits = { ...NO_PORTAL_LIMITS, operatingSeconds: 1, operatingOf: () => 1 }
    for (let n = 0; n < 60; n++) crm.portal.data.addUser(`User ${n}`, 'Many')
    await crm.runSteps('users')
    const [row] = await crm.sql(
      `SELECT failures, extract(epoch FROM due_at - now())::float8 AS pause FROM crm_steps WHERE name = 'users'`,
    )
    expect(row.failures).to.equal(0)
    expect(row.pause).to.be.within(530, 602)
    crm.portal.limits = { ...BITRIX_LIMITS }
  })

  it('a step stops for attention if the portal returns deals that were not requested', async () => {
    crm.portal.data.addDeal('Old', { updatedTime: crm.portal.data.time(Date.now() - 86_400_000) })
    await crm.runSteps('funnels', 'stages', 'deals')
    crm.portal.ignoresIsoFilter = true
    await crm.runSteps('deals')
    const step = await crm.fetchStep('deals')
    expect(step.state).to.equal('attention')
    expect(step.lastError).to.match(/returned deals that were not requested/)
    expect(await dealIds()).to.have.length(1)
  })

  it('missing users are flagged as gone, unless many are missing and permissions probably shrank', async () => {
    for (let n = 0; n < 40; n++) crm.portal.data.addUser(`User ${n}`, 'Many')
    await crm.runSteps('users')
    const last = crm.portal.data.users.rows.at(-1)!
    crm.portal.sees = (kind, row) => kind !== 'user' || row !== last
    await crm.runSteps('users')
    const gone = async () => (await crm.sql('SELECT id FROM crm_users WHERE gone_at IS NOT NULL')).map(({ id }) => id)
    expect(await gone()).to.deep.equal([last.ID])
    crm.portal.sees = (kind, row) => kind !== 'user' || Number(row.ID) < 20
    await crm.runSteps('users')
    expect(await gone()).to.deep.equal([last.ID])
    const step = await crm.fetchStep('users')
    expect(step.state).to.equal('attention')
    expect(step.lastError).to.match(/are missing from the portal: the webhook may have lost permissions$/)
    crm.portal.sees = () => true
    await crm.runSteps('users')
    expect(await gone()).to.deep.equal([])
    expect((await crm.fetchStep('users')).state).to.equal('waiting')
  })
})
