import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'

describe('CRM managers', () => {
  let crm: TestCrmApp
  let sales: string
  let service: string
  let anna: string
  let boris: string
  let clara: string
  before(async () => {
    crm = await new TestCrmApp().start()
    await crm.disableLimiter()
    const { data } = crm.portal
    data.addFunnel('Sales')
    data.addFunnel('Service')
    const department = data.addDepartment('Продажи')
    anna = String(data.addUser('Anna', 'Kovaleva', { UF_DEPARTMENT: [department], WORK_POSITION: 'Sales manager' }))
    boris = String(data.addUser('Boris', 'Orlov', { ACTIVE: false }))
    clara = String(data.addUser('Clara', 'Accountant'))
    await crm.enableAutomation()
    sales = (await olga().post('/v1/departments', { name: 'Sales', funnels: [0] })).json.id
    service = (await olga().post('/v1/departments', { name: 'Service', funnels: [1] })).json.id
    for (let n = 0; n < 3; n++) data.addDeal(`Deal ${n}`, { assignedById: Number(anna), categoryId: n === 0 ? 0 : 1 })
    for (let n = 0; n < 4; n++) data.addCall({ userId: Number(anna) })
    for (let n = 0; n < 2; n++) data.addCall({ userId: Number(boris) })
    data.addCall({ userId: Number(anna), failedCode: '304' })
    data.addCall({ userId: Number(anna), startedAt: Date.now() - 40 * 86_400_000 })
  })
  after(() => crm.stop())

  const olga = () => crm.app.olga
  const determine = () => olga().post('/v1/crm/managers/determine')
  const put = (members: object[]) => olga().put('/v1/crm/roster', { members })

  it('manager candidates cannot be listed before the users of the CRM are read', async () => {
    expect((await determine()).status).to.equal(409)
    expect((await olga().get('/v1/crm/roster')).json).to.deep.equal({ members: [], appliedAt: null })
  })

  it('manager candidates are ranked by deals and answered calls, with a suggested department', async () => {
    await crm.runSteps('users', 'departments', 'funnels', 'stages', 'deals')
    expect((await olga().get('/v1/crm/funnels')).json).to.deep.equal([
      { id: 0, name: 'Sales' },
      { id: 1, name: 'Service' },
    ])
    const { items } = (await determine()).json
    expect(items[0]).to.deep.equal({
      userId: anna,
      name: 'Anna Kovaleva',
      position: 'Sales manager',
      departments: ['Продажи'],
      active: true,
      deals90d: 3,
      answeredCalls30d: 4,
      suggestedDepartmentId: service,
      inRoster: false,
    })
    const of = (id: string) => items.find(({ userId }: { userId: string }) => userId === id)
    expect(of(boris), 'dismissed').to.include({ active: false, answeredCalls30d: 2, suggestedDepartmentId: null })
    expect(of(clara)).to.include({ deals90d: 0, answeredCalls30d: 0, suggestedDepartmentId: null })
    crm.portal.planFault({ method: 'batch', times: 1, fault: toPortalFault(PORTAL_ERRORS.internal) })
    const uncounted = (await determine()).json.items
    expect(uncounted[0]).to.include({ userId: anna, deals90d: 3, answeredCalls30d: null })
  })

  it('applying a roster links managers to CRM users and adds them to departments', async () => {
    const { status, json } = await put([
      { userId: anna, departmentId: sales },
      { userId: boris, departmentId: sales },
    ])
    expect([status, json.members]).to.deep.equal([
      200,
      [
        { userId: anna, name: 'Anna Kovaleva', departmentId: sales },
        { userId: boris, name: 'Boris Orlov', departmentId: sales },
      ],
    ])
    expect(Date.parse(json.appliedAt)).to.be.closeTo(Date.now(), 60_000)
    expect((await olga().get(`/v1/departments/${sales}`)).json.managers).to.deep.equal(['Anna Kovaleva', 'Boris Orlov'])
    const managers = await crm.sql('SELECT name, crm_user_id FROM managers WHERE crm_user_id IS NOT NULL ORDER BY name')
    expect(managers).to.deep.equal([
      { name: 'Anna Kovaleva', crm_user_id: anna },
      { name: 'Boris Orlov', crm_user_id: boris },
    ])
    await put([{ userId: anna, departmentId: service }])
    expect((await olga().get(`/v1/departments/${service}`)).json.managers).to.deep.equal(['Anna Kovaleva'])
    expect((await olga().get(`/v1/departments/${sales}`)).json.managers).to.deep.equal([])
    const [entry] = (await olga().get('/v1/audit?action=crm.roster')).json.items
    expect(entry.details).to.deep.equal({ added: ['Anna Kovaleva'], removed: ['Boris Orlov'] })
  })

  it('a changed roster queues the deal searches of ambiguous calls', async () => {
    const { data } = crm.portal
    const contactId = data.addContact('Client', ['+375291234567'])
    const [own] = [Number(clara), Number(boris)].map((assignedById) => data.addDeal('Roof', { contactId, assignedById }))
    await crm.runSteps('deals', 'contacts')
    const fields = { managerName: 'Clara Accountant', phoneNumber: '+375291234567' }
    const { id } = (await crm.app.ida.upload('sound', { ...fields, callStartedAt: new Date().toISOString() })).json
    const deals = async () => {
      await crm.linkDeals()
      const { json } = await olga().get(`/v1/recordings/${id}/deals`)
      return [json.ambiguous, ...json.items.map((deal: { id: string }) => Number(deal.id))]
    }
    expect((await deals())[0]).to.equal(true)
    // Make the deals and contacts look unchanged, so that only the new roster can queue the search.
    await crm.sql(`UPDATE crm_deals SET changed_at = now() - interval '1 hour'`)
    await crm.sql(`UPDATE crm_contacts SET read_at = now() - interval '1 hour'`)
    const roster = (await olga().get('/v1/crm/roster')).json.members as { userId: string; departmentId: string }[]
    const members = roster.map(({ userId, departmentId }) => ({ userId, departmentId }))
    expect((await put([...members, { userId: clara, departmentId: sales }])).status).to.equal(200)
    expect(await deals()).to.deep.equal([false, own])
    await put(members)
  }) // prettier-ignore

  it('a roster with unknown or repeated members is rejected, and nothing changes', async () => {
    const before = (await olga().get('/v1/crm/roster')).json
    const { status, json } = await put([
      { userId: clara, departmentId: sales },
      { userId: clara, departmentId: sales },
      { userId: '987654', departmentId: sales },
      { userId: boris, departmentId: '01890a5d-ac96-774b-bcce-b302099a8060' },
    ])
    expect([status, json.message]).to.deep.equal([
      400,
      [
        `members.1.userId The CRM user ${clara} is in the roster twice`,
        'members.2.userId The CRM has no user 987654',
        'members.3.departmentId Department 01890a5d-ac96-774b-bcce-b302099a8060 not found',
      ],
    ])
    expect((await olga().get('/v1/crm/roster')).json).to.deep.equal(before)
  })

  it('concurrent changes of the CRM roster and a department roster all succeed', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => put([{ userId: anna, departmentId: service }])),
      olga().patch(`/v1/departments/${sales}`, { managers: ['Otto'] }),
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
    expect((await olga().get(`/v1/departments/${service}`)).json.managers).to.deep.equal(['Anna Kovaleva'])
  })

  it('the funnels of a department are unique whole numbers', async () => {
    expect((await olga().get(`/v1/departments/${sales}`)).json.funnels).to.deep.equal([0])
    const { json } = await olga().patch(`/v1/departments/${sales}`, { funnels: [7, 0] })
    expect(json).to.deep.include({ funnels: [0, 7], headIds: [] })
    for (const funnels of [[-1], [1.5], ['0'], [3, 3], 5]) {
      expect((await olga().patch(`/v1/departments/${sales}`, { funnels })).status, String(funnels)).to.equal(400)
    }
  })
})
