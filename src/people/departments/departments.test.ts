import { expect } from 'chai'
import { createTestPeople, createLoggedInPerson, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('departments', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  const create = (name: string, managers?: string[]) => app.olga.post('/v1/departments', { name, managers })
  const change = (id: string, changes: object) => app.olga.patch(`/v1/departments/${id}`, changes)

  it('an owner can add a department, whose roster has each name once', async () => {
    const { status, json, headers } = await create(' Back Office ', ['Zita', ' anton ', 'ANTON', 'Борис'])
    expect(status).to.equal(201)
    expect(headers.get('location')).to.equal(`/v1/departments/${json.id}`)
    expect(json).to.deep.include({ name: 'Back Office', managers: ['anton', 'Zita', 'Борис'], people: 0 })
    expect((await app.olga.get(`/v1/departments/${json.id}`)).json).to.deep.equal(json)
    expect((await create('No roster')).json.managers).to.deep.equal([])
  })

  it('an owner sees all departments, a head their own, a manager none', async () => {
    const all = (await app.olga.get('/v1/departments')).json
    const found = all.items.find(({ id }: { id: string }) => id === cast.sales)
    expect(found).to.deep.include({ name: 'Sales', managers: ['Anna', 'Max'], people: 2 })
    expect(all.items.map(({ name }: { name: string }) => name)).to.deep.equal([
      'Back Office',
      'No roster',
      'Sales',
      'Support',
    ])
    expect((await app.olga.get('/v1/departments?page=2&pageSize=3')).json.items[0].name).to.equal('Support')
    const hers = (await cast.hanna.get('/v1/departments')).json
    expect(hers).to.deep.include({ items: [found], total: 1 })
    expect((await cast.hanna.get(`/v1/departments/${cast.support}`)).status).to.equal(404)
    expect((await cast.max.get('/v1/departments')).status).to.equal(403)
    const named = { name: 'Mine' }
    expect((await cast.hanna.post('/v1/departments', named)).status).to.equal(403)
    expect((await cast.hanna.patch(`/v1/departments/${cast.sales}`, named)).status).to.equal(403)
    expect((await cast.hanna.delete(`/v1/departments/${cast.sales}`)).status).to.equal(403)
  })

  it('a department name that is taken in any case gets 409', async () => {
    expect((await create(' sALES ')).status).to.equal(409)
    const { status, json } = await change(cast.support, { name: 'SALES' })
    expect(status).to.equal(409)
    expect(json.message).to.equal('A department with this name already exists')
    expect((await change(cast.support, { name: 'support' })).json.name).to.equal('support')
    expect((await change(cast.support, { name: 'Support' })).json.name).to.equal('Support')
  })

  it('a manager name can be in one roster only', async () => {
    for (const answer of [
      await create('Other', ['New', ' anna']),
      await change(cast.support, { name: 'X', managers: ['ANNA'] }),
    ]) {
      expect(answer.status).to.equal(409)
      expect(answer.json.message).to.equal('Anna is in the roster of Sales')
    }
    expect((await app.olga.get(`/v1/departments/${cast.support}`)).json).to.deep.include({
      name: 'Support',
      managers: ['Otto'],
    })
  })

  it('a new roster replaces the old one, except names of people in the department', async () => {
    expect((await change(cast.sales, { managers: ['Bert', 'anna'] })).json.managers).to.deep.equal([
      'Anna',
      'Bert',
      'Max',
    ])
    expect((await change(cast.sales, { managers: [] })).json.managers).to.deep.equal(['Max'])
    expect((await change(cast.sales, { name: 'Sales' })).json.managers).to.deep.equal(['Max'])
  })

  it('an invalid field of a department gets 400 with its name', async () => {
    for (const [field, body] of [
      ['name', {}],
      ['name', { name: ' ' }],
      ['name', { name: 'x'.repeat(101) }],
      ['managers', { name: 'A', managers: 'Anna' }],
      ['managers', { name: 'A', managers: [''] }],
      ['managers', { name: 'A', managers: ['a\nb'] }],
      ['people', { name: 'A', people: [] }],
    ] as [string, object][]) {
      const { status, json } = await app.olga.post('/v1/departments', body)
      expect(status).to.equal(400)
      expect(json.message[0]).to.match(new RegExp(`^${field} `))
    }
  })

  it('an owner can delete a department only if it has no people', async () => {
    const { json: gone } = await create('Gone', ['Quentin'])
    const { id } = await createLoggedInPerson(app, 'Rita', { departments: [gone.id] })
    const { status, json } = await app.olga.delete(`/v1/departments/${gone.id}`)
    expect(status).to.equal(409)
    expect(json.message).to.match(/^The department has people/)
    await app.olga.patch(`/v1/people/${id}`, { departments: [] })
    expect((await app.olga.delete(`/v1/departments/${gone.id}`)).status).to.equal(204)
    expect((await app.olga.delete(`/v1/departments/${gone.id}`)).status).to.equal(404)
    expect((await app.olga.get(`/v1/departments/${gone.id}`)).status).to.equal(404)
    expect((await change(gone.id, { name: 'Back' })).status).to.equal(404)
    expect((await create('Gone', ['Quentin', 'Rita'])).status).to.equal(201)
  })

  it('parallel requests cannot fill a deleted department or add a name twice', async () => {
    const { json } = await create('Busy')
    const [person, gone] = await Promise.all([
      app.olga.post('/v1/people', {
        email: 'busy@example.com', name: 'Busy Bee', password: 'forty blue umbrellas', role: 'manager', departments: [json.id],
      }),
      app.olga.delete(`/v1/departments/${json.id}`),
    ]) // prettier-ignore
    expect([person.status, gone.status].join()).to.be.oneOf(['201,409', '400,204'])
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => create(`Race ${n}`, ['Racer'])))
    expect(responses.filter(({ status }) => status === 201)).to.have.length(1)
    expect(responses.filter(({ status }) => status === 409)).to.have.length(7)
  })
})
