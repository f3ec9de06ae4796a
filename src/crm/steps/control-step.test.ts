import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { computeNextCrmControlTime } from './control-step.ts'

const DAY_MS = 86_400_000

describe('nightly CRM control', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let boris: number
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
    data.addUser('Anna', 'Kovaleva')
    boris = data.addUser('Boris', 'Orlov')
    await crm.enableAutomation()
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
  })
  after(() => crm.stop())
  beforeEach(async () => {
    for (const table of ['crm_controls', 'crm_calls', 'crm_roster', 'crm_read_periods'])
      await crm.sql(`DELETE FROM ${table}`)
    await crm.sql('DELETE FROM crm_steps')
    crm.portal.statisticsRights = 'all'
    data.calls.clear()
  })

  const addCalls = (count: number) => {
    for (let n = 0; n < count; n++) data.addCall({ userId: boris, startedAt: Date.now() - DAY_MS })
  }

  it('the nightly control runs at three at night in APP_TIMEZONE', async () => {
    const at = (iso: string, zone = 'Europe/Moscow') => computeNextCrmControlTime(new Date(iso), zone).toISOString()
    expect(at('2026-03-10T09:00:00Z')).to.equal('2026-03-11T00:00:00.000Z')
    expect(at('2026-03-10T23:59:59Z')).to.equal('2026-03-11T00:00:00.000Z')
    expect(at('2026-03-11T00:00:00Z')).to.equal('2026-03-12T00:00:00.000Z')
    expect(at('2026-03-28T23:00:00Z', 'Europe/Berlin'), 'the clock is set forward').to.equal('2026-03-29T01:00:00.000Z')
    const next = () => computeNextCrmControlTime(new Date(), crm.core.config.APP_TIMEZONE).toISOString()
    const before = next()
    await crm.runSteps('control')
    const [{ due }] = await crm.sql(`SELECT due_at AS due FROM crm_steps WHERE name = 'control'`)
    expect([before, next()], 'it may be three just now').to.include(due.toISOString())
  })

  it('the nightly control reports lost permissions on calls even if no funnel was chosen', async () => {
    addCalls(40)
    await crm.runSteps('control')
    expect(await crm.fetchStep('control')).to.include({ state: 'waiting', waitsFor: null })
    crm.portal.statisticsRights = 'own'
    await crm.runSteps('control')
    const { state, errorCode, lastError } = await crm.fetchStep('control')
    expect([state, errorCode]).to.deep.equal(['attention', 'NOTICE'])
    expect(lastError).to.match(/has fewer calls/)
  })

  it('the nightly control reports a fully read day with calls that are missing here', async () => {
    addCalls(40)
    await crm.runSteps('control')
    expect((await crm.fetchStep('control')).state, 'it was never read').to.equal('waiting')
    await crm.sql(`UPDATE crm_automation SET enabled_at = now() - interval '30 days'`)
    await crm.addToRoster(boris, 'Boris Orlov')
    await crm.runSteps('calls', 'control')
    expect((await crm.fetchStep('control')).state, 'all of them are here').to.equal('waiting')
    await crm.sql('DELETE FROM crm_calls WHERE id IN (SELECT id FROM crm_calls LIMIT 10)')
    await crm.runSteps('control')
    const { state, errorCode, lastError } = await crm.fetchStep('control')
    expect([state, errorCode]).to.deep.equal(['attention', 'MORE_CALLS'])
    expect(lastError).to.match(/calls on \d{4}-\d\d-\d\d that are in the portal but missing here: 10/)
    await crm.app.olga.post('/v1/crm/steps/calls/reset')
    await crm.runSteps('calls', 'control')
    expect((await crm.fetchStep('control')).state).to.equal('waiting')
  })

  it('the nightly control reports nothing for a day that was not fully read', async () => {
    await crm.sql('UPDATE crm_automation SET enabled_at = now()')
    await crm.addToRoster(boris, 'Boris Orlov')
    const otherUser = data.addUser('Carl', 'Lang')
    const threeDaysAgo = Date.now() - 3 * DAY_MS
    for (const userId of [boris, ...Array.from({ length: 20 }, () => otherUser)])
      data.addCall({ userId, startedAt: threeDaysAgo })
    await crm.runSteps('calls', 'control')
    expect((await crm.fetchStep('control')).state).to.equal('waiting')
  })

  it('the nightly control does not restore a deal moved to a funnel of no department', async () => {
    data.deals.clear()
    data.addFunnel('Sales')
    data.addFunnel('Suppliers')
    const [moved, kept] = [data.addDeal('Moved'), data.addDeal('Kept')]
    await crm.chooseFunnels([0])
    await crm.runSteps('funnels', 'stages', 'deals', 'stage-history')
    data.moveDeal(moved, 'C1:WON')
    const counted = async () =>
      (await crm.sql('SELECT id FROM crm_deals WHERE gone_at IS NULL ORDER BY id')).map(({ id }) => Number(id))
    for (const night of ['first', 'second', 'third']) {
      await crm.sql(`UPDATE crm_steps SET position = '{"dealsOn": "2020-01-01"}' WHERE name = 'control'`)
      await crm.runSteps('control')
      expect(await counted(), night).to.deep.equal([kept])
      await crm.runSteps('stage-history', 'deals')
    }
    await crm.chooseFunnels([0, 1])
    await crm.runSteps('deals')
    expect(await counted(), 'its funnel was chosen').to.deep.equal([moved, kept])
    data.deals.clear()
    await crm.sql('DELETE FROM crm_deals')
  })

  it('the nightly control checks deals only after deals were read', async () => {
    await crm.runSteps('control')
    const positionOf = async () =>
      (await crm.sql(`SELECT position FROM crm_steps WHERE name = 'control'`))[0].position as object | null
    expect(await positionOf()).to.equal(null)
    await crm.chooseFunnels([0])
    await crm.runSteps('funnels', 'stages', 'deals', 'control')
    expect(await positionOf()).to.have.property('dealsOn')
  })

  it('the nightly control reports missing deals every night until they return, and flags none', async () => {
    for (let n = 0; n < 40; n++) data.addDeal(`Deal ${n}`)
    await crm.chooseFunnels([0])
    await crm.runSteps('funnels', 'stages', 'deals')
    const hidden = new Set(data.deals.rows.slice(0, 10).map(({ id }) => id))
    crm.portal.sees = (kind, row) => kind !== 'deal' || !hidden.has(Number(row.id))
    for (const night of ['first', 'second', 'third']) {
      await crm.runSteps('control')
      const { state, lastError } = await crm.fetchStep('control')
      expect([state, /10 of 40 deals/.test(lastError)], night).to.deep.equal(['attention', true])
    }
    expect(await crm.sql('SELECT id FROM crm_deals WHERE missed_at IS NOT NULL')).to.deep.equal([])
    crm.portal.sees = () => true
    await crm.runSteps('control')
    expect((await crm.fetchStep('control')).state).to.equal('waiting')
    const requestsBefore = crm.portal.findRequests('crm.item.list').length
    await crm.runSteps('control')
    expect(crm.portal.findRequests('crm.item.list').length, 'every deal was looked at a night ago').to.equal(
      requestsBefore,
    )
  })

  it('after lost permissions, the nightly control checks all deals again the next night', async () => {
    addCalls(40)
    await crm.runSteps('funnels', 'stages', 'deals', 'control')
    await crm.sql(`UPDATE crm_steps SET position = '{"dealsOn": "2020-01-01"}' WHERE name = 'control'`)
    crm.portal.statisticsRights = 'own'
    await crm.runSteps('control')
    expect((await crm.fetchStep('control')).lastError).to.match(/has fewer calls/)
    const [{ position }] = await crm.sql(`SELECT position FROM crm_steps WHERE name = 'control'`)
    expect(position).to.deep.equal({ dealsOn: '2020-01-01' })
  })
})
