import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, createLoggedInPerson, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { expectErrorResponse } from '../../test/violation.ts'

const ALL_RIGHTS = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }

/** Covers attempts of a head to give people more access than the head has. */
describe('heads', () => {
  let app: TestApp
  let cast: TestPeople
  let berta: TestClient & { id: string }
  let calls: Record<string, string>
  let number = 0
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000 })
    cast = await createTestPeople(app)
    berta = await createLoggedInPerson(app, 'Berta', { role: 'head', departments: [cast.sales] })
    await createLoggedInPerson(app, 'Loner')
    await createLoggedInPerson(app, 'Quiet', { role: 'head', departments: [cast.support] })
    const names = ['Stray Name', 'Otto', 'Berta', 'Loner', 'olga', 'Anna']
    const ids = await insertCalls(app, names.map((manager) => ({ manager }))) // prettier-ignore
    calls = Object.fromEntries(names.map((name, n) => [name, ids[n]!]))
  })
  after(() => app.stop())

  const newcomer = (more: object) => ({
    email: `head.new${++number}@example.com`,
    name: `New ${number}`,
    password: OWNER_CREDENTIALS.password,
    role: 'manager',
    departments: [cast.sales],
    ...more,
  })

  it('a head cannot change their own name; an owner can', async () => {
    for (const name of ['Stray Name', 'Anna', 'Nobody yet']) {
      expectErrorResponse(
        await cast.hanna.patch(`/v1/people/${cast.hanna.id}`, { name }),
        403,
        /^name can only be changed by someone else/,
      )
    }
    expect((await cast.hanna.get(`/v1/recordings/${calls['Stray Name']}`)).status).to.equal(404)
    expect((await cast.hanna.patch(`/v1/people/${cast.hanna.id}`, { name: ' Hanna ' })).status).to.equal(200)
    const lina = await createLoggedInPerson(app, 'Lina', { role: 'head', departments: [cast.support] })
    expect((await app.olga.patch(`/v1/people/${lina.id}`, { name: 'Lina New' })).status).to.equal(200)
    const { id } = (await app.olga.get('/v1/auth/me')).json.person
    expect((await app.olga.patch(`/v1/people/${id}`, { name: 'Olga' })).status).to.equal(200)
    expect((await app.olga.patch(`/v1/people/${id}`, { name: 'olga' })).status).to.equal(200)
  })

  it('a head cannot give a name of other people or of foreign calls', async () => {
    const max = `/v1/people/${cast.max.id}`
    for (const name of ['Stray Name', 'stray\u00a0 NAME', 'Berta', 'Loner', 'olga', 'Quiet']) {
      for (const role of ['manager', 'head']) {
        expectErrorResponse(await cast.hanna.post('/v1/people', newcomer({ name, role })), 409, /^The name belongs to another person/)
      }
      expectErrorResponse(await cast.hanna.patch(max, { name }), 409, /^The name belongs to another person/)
    }
    const { items } = (await cast.hanna.get('/v1/recordings')).json
    expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([calls.Anna])
    for (const id of [calls['Stray Name'], calls.Berta]) {
      expect((await cast.hanna.delete(`/v1/recordings/${id}`)).status).to.equal(404)
    }
  }) // prettier-ignore

  it('a head can give unused names and names of their rosters; an owner any', async () => {
    const { status, json } = await cast.hanna.post('/v1/people', newcomer({ name: 'anna' }))
    expect(status).to.equal(201)
    expect((await cast.hanna.patch(`/v1/people/${json.id}`, { name: 'Anna' })).status).to.equal(200)
    expect((await cast.hanna.post('/v1/people', newcomer({ name: 'Newly Hired' }))).status).to.equal(201)
    expect((await cast.hanna.patch(`/v1/people/${cast.max.id}`, { name: 'Max Married' })).status).to.equal(200)
    expect((await cast.hanna.patch(`/v1/people/${cast.max.id}`, { name: 'Max' })).status).to.equal(200)
    expect((await app.olga.post('/v1/people', newcomer({ name: 'Stray Name', departments: [] }))).status).to.equal(201)
  }) // prettier-ignore

  it('a conflict with another roster names the department only to an owner', async () => {
    const answers = (client: TestClient) => [
      client.post('/v1/people', newcomer({ name: 'oTTo' })),
      client.post('/v1/people', newcomer({ name: 'oTTo', role: 'head' })),
      client.patch(`/v1/people/${cast.max.id}`, { name: ' Otto ' }),
    ]
    for (const answer of answers(cast.hanna)) {
      expectErrorResponse(await answer, 409, /^The name belongs to another department$/)
    }
    for (const answer of answers(app.olga)) expectErrorResponse(await answer, 409, /^Otto is in the roster of Support$/)
    expect((await cast.hanna.get('/v1/people?q=otto')).json.total).to.equal(0)
  }) // prettier-ignore

  const TAKING_OVER = {
    name: { name: 'Renamed' },
    password: { password: 'forty blue umbrellas' },
    email: { email: 'mine@example.com' },
    role: { role: 'manager' },
    active: { active: false },
    rights: { rights: { export: false } },
  }

  it('a head cannot change the account of another head', async () => {
    const path = `/v1/people/${berta.id}`
    for (const [field, change] of Object.entries(TAKING_OVER)) {
      expectErrorResponse(await cast.hanna.patch(path, change), 403, new RegExp(`^${field} can only be changed by an owner`))
    }
    expectErrorResponse(await cast.hanna.post(`${path}/deactivate`), 403, /^active can only be changed by an owner/)
    const { json } = await berta.get('/v1/auth/me')
    expect((await cast.hanna.patch(path, { ...json.person.rights && { rights: json.person.rights }, language: 'ru' })).status).to.equal(200)
    expect((await cast.hanna.patch(`/v1/people/${cast.hanna.id}`, { email: 'hanna.new@example.com' })).status).to.equal(200)
    for (const change of [{ email: 'berta2@example.com' }, { password: 'forty blue umbrellas' }]) {
      expect((await app.olga.patch(path, change)).status).to.equal(200)
    }
  }) // prettier-ignore

  it('a head can change the account only of managers without rights beyond their own', async () => {
    const tess = await createLoggedInPerson(app, 'Tess', {
      departments: [cast.sales],
      rights: { editRules: true, export: true },
    })
    const path = `/v1/people/${tess.id}`
    await app.olga.patch(`/v1/people/${cast.hanna.id}`, { rights: { editRules: false } })
    for (const [field, change] of Object.entries({ ...TAKING_OVER, role: { role: 'head' } })) {
      expectErrorResponse(
        await cast.hanna.patch(path, change),
        403,
        new RegExp(`^${field} can only be changed by an owner`),
      )
    }
    await app.olga.patch(`/v1/people/${cast.hanna.id}`, { rights: { editRules: true } })
    for (const [field, change] of Object.entries(TAKING_OVER)) {
      expect((await cast.hanna.patch(path, change)).status, field).to.equal(200)
    }
  })

  it('a head can give department ids in upper or lower case', async () => {
    const departments = [cast.sales.toUpperCase()]
    const { status, json } = await cast.hanna.post('/v1/people', newcomer({ name: 'Upper Case', departments }))
    expect(status, JSON.stringify(json)).to.equal(201)
    const path = `/v1/people/${json.id.toUpperCase()}`
    expect((await cast.hanna.patch(path, { departments })).status).to.equal(200)
    const twice = { departments: [cast.sales, cast.sales.toUpperCase()] }
    expect((await app.olga.patch(path, twice)).json.departments).to.deep.equal([{ id: cast.sales, name: 'Sales' }])
    expect((await app.olga.get(`/v1/departments/${cast.sales}`)).json.managers).to.include('Upper Case')
  })

  describe('people that a head adds and changes', () => {
    it('a head can add people only to one or more of their own departments', async () => {
      const create = (departments?: string[]) => cast.hanna.post('/v1/people', newcomer({ role: 'head', departments }))
      for (const departments of [undefined, [], [cast.support], [cast.sales, cast.support]]) {
        expectErrorResponse(await create(departments), 400, '^departments must ')
      }
      const { status, json } = await create([cast.sales])
      expect(status).to.equal(201)
      expectErrorResponse(
        await cast.hanna.patch(`/v1/people/${json.id}`, { departments: [] }),
        400,
        '^departments must ',
      )
      expectErrorResponse(
        await cast.hanna.patch(`/v1/people/${json.id}`, { departments: [cast.support] }),
        400,
        '^departments ',
      )
    })

    it('a head cannot grant the role owner or change an owner', async () => {
      const departments = [cast.sales]
      expectErrorResponse(await cast.hanna.post('/v1/people', newcomer({ role: 'owner', departments })), 403, 'role')
      expectErrorResponse(await cast.hanna.patch(`/v1/people/${cast.max.id}`, { role: 'owner' }), 403, 'role')
      const owner = await app.olga.post('/v1/people', newcomer({ role: 'owner', departments }))
      const path = `/v1/people/${owner.json.id}`
      for (const change of [{ name: 'X' }, { password: 'forty blue umbrellas' }, { role: 'head' }, { active: false }]) {
        expect((await cast.hanna.patch(path, change)).status).to.equal(403)
      }
      expect((await cast.hanna.post(`${path}/deactivate`)).status).to.equal(403)
      await app.olga.patch(path, { active: false })
    })

    it('a head cannot grant a right that they lack, neither explicitly nor by default', async () => {
      const path = `/v1/people/${cast.hanna.id}`
      await app.olga.patch(path, { rights: { export: false, editRules: false } })
      const departments = [cast.sales]
      const named = newcomer({ role: 'head', departments, rights: { export: true } })
      expectErrorResponse(await cast.hanna.post('/v1/people', named), 403, 'rights.export')
      const { json } = await cast.hanna.post('/v1/people', newcomer({ role: 'head', departments }))
      expect(json.rights).to.deep.equal({ ...ALL_RIGHTS, export: false, editRules: false })
      expectErrorResponse(await cast.hanna.patch(path, { rights: { export: true } }), 403, 'rights.export')
      await app.olga.patch(path, { rights: { export: true, editRules: true } })
    })

    it('a head cannot change their own role or deactivate themselves', async () => {
      expectErrorResponse(await cast.hanna.patch(`/v1/people/${cast.hanna.id}`, { role: 'manager' }), 403, 'role')
      expectErrorResponse(await cast.hanna.post(`/v1/people/${cast.hanna.id}/deactivate`), 403, 'active')
      expect((await cast.hanna.patch(`/v1/people/${cast.hanna.id}`, { name: ' Hanna ' })).json.name).to.equal('Hanna')
    })
  })
})
