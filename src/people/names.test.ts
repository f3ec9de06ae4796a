import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join as pathOf } from 'node:path'
import { expect } from 'chai'
import { CleanNames1763970000000 } from '../../migrations/1763970000000-clean-names.ts'
import { insertCalls } from '../test/calls.ts'
import { seedCast, createPerson, logInAs, type Cast } from '../test/cast.ts'
import type { Client } from '../test/client.ts'
import { OLGA, startTestApp, type TestApp } from '../test/server.ts'

/** Names as they come out of word processors and spreadsheets: other spaces than the plain one, and too many. */
describe('white space in and around names', () => {
  let app: TestApp
  let cast: Cast
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await seedCast(app)
  })
  after(() => app.stop())

  const roster = async (id: string): Promise<string[]> => (await app.olga.get(`/v1/departments/${id}`)).json.managers
  const total = async (client: Client, query: string) =>
    (await client.get(`/v1/recordings?${new URLSearchParams(query).toString()}`)).json.total

  it('does not keep a call from its manager, head and department, nor from the filters', async () => {
    const anna = await createPerson(app, 'Anna', { departments: [cast.sales] })
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

  it('is one space between the words of a name, in calls, people and rosters', async () => {
    const given = { email: 'ida.berg@example.com', name: 'Ida\u00a0\u00a0von  Berg ', role: 'manager' }
    await app.olga.post('/v1/people', { ...given, password: OLGA.password, departments: [cast.sales] })
    const ida = await logInAs(app, given.email)
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

  it('is cleaned from what was stored before, and the kept counts follow', async () => {
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
