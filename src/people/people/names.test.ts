import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join as pathOf } from 'node:path'
import { expect } from 'chai'
import { CleanNames1763970000000 } from '../../../migrations/1763970000000-clean-names.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, createLoggedInPerson, logInAsPerson, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { expectErrorResponse } from '../../test/violation.ts'

describe('names of people', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  const roster = async (id: string): Promise<string[]> => (await app.olga.get(`/v1/departments/${id}`)).json.managers
  const total = async (client: TestClient, query: string) =>
    (await client.get(`/v1/recordings?${new URLSearchParams(query).toString()}`)).json.total

  /** Word processors and spreadsheets insert no-break spaces and repeated spaces. */
  describe('whitespace in names', () => {
    it('a call belongs to its manager and department despite extra whitespace in the name', async () => {
      const anna = await createLoggedInPerson(app, 'Anna', { departments: [cast.sales] })
      const key = 'archive/one.wav'
      await mkdir(dirname(pathOf(app.config.audioDir, key)), { recursive: true })
      await writeFile(pathOf(app.config.audioDir, key), 'sound')
      const calls = [
        await app.ida.upload('sound', { managerName: '\u00a0Anna\u3000' }),
        await app.ida.post('/v1/recordings/from-storage', { storageKey: key, managerName: '\u2003anna \u202f' }),
      ]
      for (const { status, json, text } of calls) {
        expect(status, text).to.equal(201)
        expect(json.managerName).to.be.oneOf(['Anna', 'anna'])
        expect(json.department.name).to.equal('Sales')
        expect((await anna.get(`/v1/recordings/${json.id}`)).status).to.equal(200)
        expect((await cast.hanna.get(`/v1/recordings/${json.id}`)).status).to.equal(200)
      }
      const own = await cast.hanna.upload('sound', { managerName: '\u00a0 ANNA' })
      expect(own.status, own.text).to.equal(201)
      expect(await total(app.olga, `department=${cast.sales}`)).to.equal(3)
      expect(await total(app.olga, 'manager=\u00a0anna ')).to.equal(3)
      expect(await total(app.olga, 'q=anna\u00a0')).to.equal(3)
    })

    it('the API collapses whitespace in names of calls, people and rosters', async () => {
      const given = { email: 'ida.berg@example.com', name: 'Ida\u00a0\u00a0von  Berg ', role: 'manager' }
      await app.olga.post('/v1/people', { ...given, password: OWNER_CREDENTIALS.password, departments: [cast.sales] })
      const ida = await logInAsPerson(app, given.email)
      expect((await ida.get('/v1/auth/me')).json.person.name).to.equal('Ida von Berg')
      expect(await roster(cast.sales)).to.include('Ida von Berg')
      const { json } = await app.ida.upload('sound', { managerName: 'Ida von\u2009 Berg' })
      expect((await ida.get(`/v1/recordings/${json.id}`)).json.managerName).to.equal('Ida von Berg')
      expect(await total(ida, 'manager=von  berg')).to.equal(1)
      const managers = ['\ufeffCarl\u00a0Gustav', 'Carl  Gustav', 'Otto']
      await app.olga.patch(`/v1/departments/${cast.support}`, { name: 'Support\u00a0', managers })
      expect(await roster(cast.support)).to.deep.equal(['Carl Gustav', 'Otto'])
      expect((await app.olga.get('/v1/people?q=ida%20%20von')).json.total).to.equal(1)
      const taken = await app.olga.patch(`/v1/people/${cast.max.id}`, { name: 'Carl\u00a0 Gustav' })
      expect(taken.status).to.equal(409)
    })

    it('the migration cleans whitespace in stored names and keeps the counters exact', async () => {
      const [call] = await insertCalls(app, [{ manager: '\u00a0Max\u00a0' }])
      await app.db.query(`UPDATE people SET name = E'Otto\\u00a0' WHERE id = $1`, [cast.otto.id])
      const insert = 'INSERT INTO department_managers (name, department_id) VALUES ($1, $3), ($2, $3)'
      await app.db.query(insert, ['Otto\u00a0', 'Eva\u2003 Lind', cast.support])
      expect((await cast.max.get(`/v1/recordings/${call}`)).status).to.equal(404)
      await new CleanNames1763970000000().up({ query: (sql: string) => app.db.query(sql) } as never)
      expect((await cast.max.get(`/v1/recordings/${call}`)).json.managerName).to.equal('Max')
      expect((await app.olga.get(`/v1/people/${cast.otto.id}`)).json.name).to.equal('Otto')
      expect(await roster(cast.support)).to.include.members(['Eva Lind', 'Otto'])
      const { managers } = (await app.olga.get('/v1/recordings/facets')).json
      expect(managers.find(({ name }: { name: string }) => /Max/.test(name))).to.deep.equal({ name: 'Max', count: 1 })
    })
  })

  describe('manager names in rosters', () => {
    it('the name of a manager enters the roster of their department and moves with them', async () => {
      const { id } = await createLoggedInPerson(app, 'Vera', { departments: [cast.sales] })
      expect(await roster(cast.sales)).to.include('Vera')
      await app.olga.patch(`/v1/people/${id}`, { departments: [cast.support] })
      expect(await roster(cast.sales)).to.not.include('Vera')
      expect(await roster(cast.support)).to.include('Vera')
      await app.olga.patch(`/v1/people/${id}`, { name: 'Wera', departments: [cast.sales] })
      expect(await roster(cast.sales)).to.include('Wera')
      expect(await roster(cast.support)).to.not.include('Vera')
      await app.olga.patch(`/v1/people/${id}`, { departments: [] })
      expect(await roster(cast.sales)).to.not.include('Wera')
    })

    it('a name with calls stays in the roster after its manager leaves', async () => {
      for (const [name, change] of [
        ['Xenia', { departments: [] }],
        ['Yuri', { role: 'head', departments: [] }],
        ['Zoe', { active: false }],
        ['Zora', { name: 'Zora Married' }],
      ] as const) {
        const { id } = await createLoggedInPerson(app, name, { departments: [cast.sales] })
        const sql = `INSERT INTO recordings (id, source, storage_key, size_bytes, manager_name) VALUES ($1, 'upload', $2, 1, $2)`
        await app.db.query(sql, [id, name.toLowerCase()])
        expect((await app.olga.patch(`/v1/people/${id}`, change)).status, name).to.equal(200)
        expect(await roster(cast.sales), name).to.include(name)
      }
      expect(await roster(cast.sales)).to.include('Zora Married')
    })

    it('a department cannot have two managers with one name', async () => {
      await createLoggedInPerson(app, 'Gemma', { departments: [cast.sales] })
      const given = {
        email: 'gemma.too@example.com',
        name: ' gemma',
        password: OWNER_CREDENTIALS.password,
        role: 'manager',
        departments: [cast.sales],
      }
      for (const client of [app.olga, cast.hanna]) {
        expectErrorResponse(
          await client.post('/v1/people', given),
          409,
          'The department already has a manager with this name',
        )
        const renamed = await client.patch(`/v1/people/${cast.max.id}`, { name: 'GEMMA' })
        expectErrorResponse(renamed, 409, 'The department already has a manager with this name')
      }
      const head = (await app.olga.post('/v1/people', { ...given, role: 'head' })).json
      expectErrorResponse(
        await app.olga.patch(`/v1/people/${head.id}`, { role: 'manager' }),
        409,
        'already has a manager with this name',
      )
    })

    it('a shared name stays in the roster when one of two managers leaves', async () => {
      const one = await createLoggedInPerson(app, 'Twin', { departments: [cast.sales] })
      const other = await createLoggedInPerson(app, 'Other', { departments: [cast.sales] })
      await app.db.query(`UPDATE people SET name = 'twin' WHERE id = $1`, [other.id])
      expectErrorResponse(await app.olga.patch(`/v1/people/${one.id}`, { departments: [cast.support] }), 409, 'Twin')
      expect((await app.olga.patch(`/v1/people/${one.id}`, { departments: [] })).status).to.equal(200)
      expect(await roster(cast.sales)).to.include('Twin')
    })
  })
})
