import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { CRM_POSITIONS_RELEASE } from '../automation/state.ts'
import { resetCrmStepsForRelease } from './service.ts'

const READ_STEPS = ['users', 'departments', 'funnels', 'stages', 'deals', 'stage-history', 'contacts'] as const

describe('CRM steps', () => {
  const crm = new TestCrmApp()
  before(async () => {
    await crm.start()
    await crm.disableLimiter()
  })
  beforeEach(async () => {
    await crm.reset()
    crm.portal.data.addFunnel('Sales')
    crm.portal.data.addFunnel('Service')
    await crm.enableAutomation()
    await crm.chooseFunnels([0])
  })
  after(() => crm.stop())

  const deals = () => crm.sql('SELECT * FROM crm_deals ORDER BY id')
  const idsOf = (rows: { id: string | number }[]) => rows.map(({ id }) => Number(id))
  const portalIds = () => crm.portal.data.deals.rows.map(({ id }) => id).sort((a, b) => a - b)
  const change = (id: number, changes: object) => Object.assign(crm.portal.data.deals.get(id)!, changes)

  it('steps read all users, including dismissed ones, departments, funnels and stages', async () => {
    const { data } = crm.portal
    const sales = data.addDepartment('Sales')
    data.addDepartment('Juniors', sales)
    const anna = data.addUser('Anna', 'Kovaleva', { UF_DEPARTMENT: [sales], WORK_POSITION: 'Manager' })
    const boris = data.addUser('Boris', 'Old', { ACTIVE: false })
    for (let n = 0; n < 110; n++) data.addUser(`User ${n}`, 'Many')
    await crm.runSteps('users', 'departments', 'funnels', 'stages')
    const users = await crm.sql('SELECT * FROM crm_users ORDER BY id::int')
    expect(users.length).to.equal(data.users.rows.length)
    expect(users.find(({ id }) => id === String(anna))).to.include({
      name: 'Anna Kovaleva',
      position: 'Manager',
      active: true,
    })
    expect(users.find(({ id }) => id === String(boris))).to.include({ active: false, gone_at: null })
    expect(
      (await crm.sql('SELECT parent_id FROM crm_departments ORDER BY id')).map((row) => row.parent_id),
    ).to.deep.equal([null, String(sales)])
    expect((await crm.sql('SELECT id, name FROM crm_funnels ORDER BY id')).map(({ name }) => name)).to.deep.equal([
      'Sales',
      'Service',
    ])
    const stages = await crm.sql('SELECT id, outcome FROM crm_stages WHERE funnel_id = 1 ORDER BY id')
    expect(stages.map(({ id, outcome }) => `${id} ${outcome}`)).to.deep.equal([
      'C1:LOSE lost',
      'C1:NEW open',
      'C1:WON won',
    ])
    expect(await crm.fetchStep('users')).to.include({
      state: 'waiting',
      waitsFor: null,
      read: data.users.rows.length,
      lastError: null,
    })
  })

  it('steps read deals only of department funnels, and all deals of a newly chosen one', async () => {
    expect((await crm.fetchStep('deals')).waitsFor).to.equal('stages')
    await crm.runSteps('funnels', 'stages')
    await crm.chooseFunnels([])
    expect((await crm.fetchStep('deals')).waitsFor).to.equal('department-funnels')
    await crm.runSteps('deals')
    expect(crm.portal.findRequests('crm.item.list')).to.deep.equal([])
    await crm.chooseFunnels([0])
    const first = crm.portal.data.addDeal('First', { categoryId: 0, opportunity: 4200.5, currencyId: 'BYN' })
    const other = crm.portal.data.addDeal('Other', { categoryId: 1 })
    await crm.runSteps('deals')
    const [row] = await deals()
    expect(await deals()).to.have.length(1)
    expect(row).to.include({
      id: String(first),
      title: 'First',
      funnel_id: '0',
      outcome: 'open',
      amount: '4200.5',
      currency: 'BYN',
    })
    crm.portal.advanceClock(3 * 3600_000)
    await crm.chooseFunnels([0, 1])
    await crm.runSteps('deals')
    expect(idsOf(await deals())).to.deep.equal([first, other])
  })

  it('no deal is lost if update times are equal, in the future, or visible late', async () => {
    const { data } = crm.portal
    const at = data.time(Date.now() - 60_000)
    for (let n = 0; n < 120; n++) data.addDeal(`Deal ${n}`, { updatedTime: at, createdTime: at })
    data.addDeal('To come', { updatedTime: data.time(Date.now() + 90 * 86_400_000) })
    await crm.runSteps(...READ_STEPS)
    expect(idsOf(await deals())).to.deep.equal(portalIds())
    const hidden = data.addDeal('Late', { updatedTime: data.time(Date.now() - 5 * 60_000) })
    const changed = portalIds()[3]!
    change(changed, { title: 'Changed', updatedTime: at })
    crm.portal.sees = (kind, row) => kind !== 'deal' || row.id !== hidden
    await crm.runSteps('deals')
    crm.portal.sees = () => true
    await crm.runSteps('deals')
    expect(idsOf(await deals())).to.deep.equal(portalIds())
    expect((await crm.sql('SELECT title FROM crm_deals WHERE id = $1', [changed]))[0].title).to.equal('Changed')
    await crm.runSteps('deals')
    expect(await crm.fetchStep('deals')).to.include({ new: 0, changed: 0 })
  })

  for (const hours of [-1, 1]) {
    it(`no deal is lost if the portal clock differs by ${hours} h`, async () => {
      const { data } = crm.portal
      crm.portal.advanceClock(hours * 3600_000)
      for (let n = 0; n < 3; n++) data.addDeal(`Deal ${n}`)
      await crm.runSteps(...READ_STEPS)
      crm.portal.advanceClock(20 * 60_000)
      change(portalIds()[0]!, { title: 'Changed', updatedTime: data.time() })
      data.addDeal('New')
      await crm.runSteps('deals')
      expect((await deals()).map(({ title }) => title)).to.deep.equal(['Changed', 'Deal 1', 'Deal 2', 'New'])
      expect(await crm.fetchStep('deals')).to.include({ state: 'waiting', new: 1, changed: 1 })
    })
  }

  it('no deal is lost after the portal clock was temporarily a year ahead', async () => {
    crm.portal.advanceClock(400 * 86_400_000)
    crm.portal.data.addDeal('Deal')
    await crm.runSteps(...READ_STEPS)
    crm.portal.shiftMs = 0
    change(portalIds()[0]!, { title: 'Changed', updatedTime: crm.portal.data.time() })
    await crm.runSteps('deals')
    expect((await deals()).map(({ title }) => title)).to.deep.equal(['Changed'])
  })

  it('later edits do not change the closing time of a deal without a move time', async () => {
    const { data } = crm.portal
    const id = data.addDeal('Sold')
    await crm.runSteps(...READ_STEPS)
    const moved = Math.floor((Date.now() + 2000) / 1000) * 1000
    data.moveDeal(id, 'WON', moved)
    change(id, { movedTime: '' })
    const edited = async (title: string) => {
      crm.portal.advanceClock(20 * 60_000)
      change(id, { title, updatedTime: data.time() })
      await crm.runSteps('deals')
      const [deal] = await deals()
      return [deal.title, deal.moved_at, deal.closed_at.getTime()]
    }
    await crm.runSteps('deals')
    expect(await edited('Once'), 'as it was stored').to.deep.equal(['Once', null, moved])
    await crm.runSteps('stage-history')
    await crm.sql('UPDATE crm_deals SET closed_at = now()')
    expect(await edited('Twice'), 'by its history').to.deep.equal(['Twice', null, moved])
  })

  it('steps store when a deal was closed, and its stage moves', async () => {
    const { data } = crm.portal
    const id = data.addDeal('Sold')
    await crm.runSteps(...READ_STEPS)
    const moved = Math.floor((Date.now() - 1000) / 1000) * 1000
    data.moveDeal(id, 'WON', moved)
    await crm.runSteps('deals', 'stage-history')
    const [deal] = await deals()
    expect([deal.outcome, deal.closed_at.getTime()]).to.deep.equal(['won', moved])
    const history = await crm.sql('SELECT type, outcome FROM crm_stage_history WHERE deal_id = $1 ORDER BY id', [id])
    expect(history).to.deep.equal([{ type: 1, outcome: 'open' }, { type: 3, outcome: 'won' }]) // prettier-ignore
    data.moveDeal(id, 'NEW')
    await crm.runSteps('deals', 'stage-history')
    expect((await deals())[0]).to.include({ outcome: 'open', closed_at: null })
    expect(await crm.sql('SELECT FROM crm_stage_history')).to.have.length(3)
  })

  it('a deal counts as closed since it last left the open stages', async () => {
    const { data } = crm.portal
    const id = data.addDeal('Lost')
    await crm.runSteps(...READ_STEPS)
    const now = Math.floor(Date.now() / 1000) * 1000
    const at = (hours: number) => now + (1 + hours) * 3600_000
    const lostAt = async () => ((await deals())[0].closed_at.getTime() - at(0)) / 3600_000
    const move = (stage: string, hours: number) => {
      data.moveDeal(id, stage, at(hours))
      change(id, { updatedTime: data.time() })
    }
    move('LOSE', 0)
    move('NEW', 10)
    move('LOSE', 20)
    await crm.runSteps('deals')
    expect(await lostAt(), 'no history yet').to.equal(20)
    await crm.runSteps('stage-history')
    expect(await lostAt(), 'lost again').to.equal(20)
    move('WON', 30)
    move('LOSE', 40)
    await crm.runSteps('deals')
    expect(await lostAt(), 'relabelled, the history lags behind').to.equal(20)
    await crm.runSteps('stage-history', 'deals')
    expect(await lostAt(), 'relabelled').to.equal(20)
    move('NEW', 50)
    move('LOSE', 60)
    await crm.runSteps('stage-history', 'deals')
    expect(await lostAt(), 'reopened between two readings').to.equal(60)
    await crm.sql(`UPDATE crm_deals SET closed_at = now()`)
    await crm.sql('DELETE FROM crm_stage_history WHERE id = (SELECT max(id) FROM crm_stage_history)')
    await crm.runSteps('stage-history')
    expect(await lostAt(), 'what the history tells late').to.equal(60)
  })

  it('a merged deal is flagged as missing when the resulting deal is read', async () => {
    const { data } = crm.portal
    const contact = data.addContact('Ivan', ['+375291234567'])
    const [kept, merged, other] = ['Kept', 'Merged', 'Other'].map((title) =>
      data.addDeal(title, { contactId: contact, contactIds: [contact] }),
    )
    const otherDeal = data.addDeal('Of nobody')
    await crm.runSteps(...READ_STEPS)
    const missed = async () => idsOf(await crm.sql('SELECT id FROM crm_deals WHERE missed_at IS NOT NULL ORDER BY id'))
    crm.portal.advanceClock(20 * 60_000)
    data.deals.remove(otherDeal)
    await crm.runSteps('deals')
    expect(await missed(), 'nothing has changed').to.deep.equal([])
    data.mergeDeals(kept!, merged!)
    await crm.runSteps('deals')
    expect(await missed()).to.deep.equal([merged])
    change(other!, { updatedTime: data.time() })
    await crm.runSteps('deals')
    expect(await missed()).to.deep.equal([merged])
  })

  it('the stage decides the outcome of a deal if the portal omits the outcome', async () => {
    const id = crm.portal.data.addDeal('Untold')
    crm.portal.data.moveDeal(id, 'LOSE')
    Object.assign(crm.portal.data.deals.get(id)!, { stageSemanticId: null })
    await crm.runSteps('funnels', 'stages', 'deals')
    const rows = await crm.sql('SELECT outcome, closed_at IS NOT NULL AS closed FROM crm_deals WHERE id = $1', [id])
    expect(rows).to.deep.equal([{ outcome: 'lost', closed: true }])
  })

  it('steps read each phone of the clients of deals once, in normalized form', async () => {
    const { data } = crm.portal
    const contact = data.addContact('Ivan', ['+375 29 123-45-67', '80291234567', '12'])
    const company = data.addContact('Shop', ['+7 495 123-45-67'], true)
    data.addContact('Stranger', ['+375291111111'])
    data.addDeal('One', { contactId: contact, contactIds: [contact], companyId: company })
    await crm.runSteps(...READ_STEPS)
    expect(await crm.sql('SELECT kind, contact_id, phone FROM crm_phones ORDER BY kind DESC, phone')).to.deep.equal([
      { kind: 'contact', contact_id: String(contact), phone: '+375291234567' },
      { kind: 'company', contact_id: String(company), phone: '+74951234567' },
    ])
  })

  it('a reset clears positions but no data, and everything is read again', async () => {
    const { data } = crm.portal
    for (let n = 0; n < 70; n++) data.addDeal(`Deal ${n}`)
    await crm.runSteps(...READ_STEPS)
    const before = await deals()
    const reset = await crm.app.olga.post('/v1/crm/reset')
    expect(reset.status).to.equal(202)
    expect(await deals()).to.deep.equal(before)
    crm.portal.requests.length = 0
    await crm.runSteps(...READ_STEPS)
    expect(crm.portal.findRequests('crm.item.list')[0]!.parameters.filter).to.not.have.property('>=updatedTime')
    expect(idsOf(await deals())).to.deep.equal(portalIds())
    expect(await crm.fetchStep('deals')).to.include({ read: 70, new: 0, changed: 0 })
  })

  it('a release that requires it resets positions once, and the audit log records it', async () => {
    crm.portal.data.addDeal('One')
    await crm.runSteps(...READ_STEPS)
    const before = await deals()
    const positions = async () => (await crm.sql('SELECT FROM crm_steps WHERE position IS NOT NULL')).length
    const known = await positions()
    await resetCrmStepsForRelease(crm.core)
    expect(await positions(), 'the release asks for none').to.equal(known)
    await resetCrmStepsForRelease(crm.core, CRM_POSITIONS_RELEASE + 1)
    expect([await positions(), await deals()]).to.deep.equal([0, before])
    await crm.runSteps(...READ_STEPS)
    await resetCrmStepsForRelease(crm.core, CRM_POSITIONS_RELEASE + 1)
    expect(await positions(), 'the next start of the same release').to.equal(known)
    await resetCrmStepsForRelease(crm.core, CRM_POSITIONS_RELEASE)
    expect(await positions(), 'the release before').to.equal(known)
    const auditEntries = await crm.sql(`SELECT details FROM audit WHERE action = 'crm.reset' AND details ? 'release'`)
    expect(auditEntries).to.deep.equal([{ details: { release: CRM_POSITIONS_RELEASE + 1 } }])
  })

  it('a deal missing twice, a day apart, is flagged as gone until it returns', async () => {
    const { data } = crm.portal
    for (let n = 0; n < 60; n++) data.addDeal(`Deal ${n}`)
    await crm.runSteps(...READ_STEPS, 'control')
    const lost = portalIds()[7]!
    const kept = data.deals.get(lost)!
    data.deals.remove(lost)
    const nextNight = () =>
      crm.sql(`UPDATE crm_steps SET position = '{"dealsOn": "2020-01-01"}' WHERE name = 'control'`)
    const gone = async () =>
      (await crm.sql('SELECT id FROM crm_deals WHERE gone_at IS NOT NULL')).map(({ id }) => Number(id))
    await nextNight()
    await crm.runSteps('control')
    expect(await gone()).to.deep.equal([])
    await crm.runSteps('control')
    expect(await gone(), 'the same day').to.deep.equal([])
    await crm.sql(`UPDATE crm_deals SET missed_at = missed_at - interval '1 day' WHERE missed_at IS NOT NULL`)
    await crm.runSteps('control')
    expect(await gone()).to.deep.equal([lost])
    data.deals.add(kept)
    change(lost, { updatedTime: data.time() })
    await crm.runSteps('deals')
    expect(await gone()).to.deep.equal([])
  })

  it('far fewer calls or deals than before raise an alarm and flag nothing', async () => {
    const { data } = crm.portal
    for (let n = 0; n < 60; n++) data.addDeal(`Deal ${n}`)
    for (let n = 0; n < 60; n++) data.addCall({ startedAt: Date.now() - 86_400_000 })
    await crm.runSteps(...READ_STEPS, 'control')
    expect((await crm.fetchStep('control')).state).to.equal('waiting')
    crm.portal.statisticsRights = 'own'
    crm.portal.sees = (kind, row) => kind !== 'deal' || Number(row.id) % 2 === 0
    for (let night = 0; night < 2; night++) {
      await crm.sql(`UPDATE crm_steps SET position = '{"dealsOn": "2020-01-01"}' WHERE name = 'control'`)
      await crm.runSteps('control')
      const step = await crm.fetchStep('control')
      expect(step.state).to.equal('attention')
      expect(step.lastError).to.match(/the webhook may have lost permissions$/)
    }
    expect(await crm.sql('SELECT FROM crm_deals WHERE missed_at IS NOT NULL OR gone_at IS NOT NULL')).to.have.length(0)
  })
})
