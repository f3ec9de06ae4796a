import { expect } from 'chai'
import { fetchNewAuditEntries } from '../../test/audit.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('audit entries of people and departments', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const PEOPLE = [
    'person.create', 'person.change', 'person.deactivate', 'department.create', 'department.change', 'department.delete',
  ] // prettier-ignore
  const entriesDuring = (work: () => Promise<unknown>) => fetchNewAuditEntries(app, work, `action=${PEOPLE.join(',')}`)

  it('the audit log records changes of people and departments without passwords', async () => {
    const passwords = ['a first long password', 'a second long password']
    let person = { id: '' }
    let department = { id: '' }
    const entries = await entriesDuring(async () => {
      department = (await app.olga.post('/v1/departments', { name: 'Sales', managers: ['Anna'] })).json
      const given = { email: 'max@example.com', name: 'Max', role: 'manager', departments: [department.id] }
      person = (await app.olga.post('/v1/people', { ...given, password: passwords[0] })).json
      await app.olga.patch(`/v1/people/${person.id}`, { rights: { export: true }, language: 'ru' })
      await app.olga.patch(`/v1/people/${person.id}`, { password: passwords[1] })
      await app.olga.patch(`/v1/people/${person.id}`, { name: 'Max', language: 'ru' })
      await app.olga.patch(`/v1/people/${person.id}`, { departments: [] })
      await app.olga.post(`/v1/people/${person.id}/deactivate`)
      await app.olga.post(`/v1/people/${person.id}/deactivate`)
      await app.olga.patch(`/v1/departments/${department.id}`, { name: 'Sales team' })
      await app.olga.patch(`/v1/departments/${department.id}`, { name: 'Sales team' })
      await app.olga.delete(`/v1/departments/${department.id}`)
    })
    const max = { type: 'person', id: person.id, name: 'Max' }
    const rights = { audio: true, export: false, manageRecordings: false, analytics: false, editRules: false }
    const created = {
      email: 'max@example.com',
      name: 'Max',
      role: 'manager',
      rights,
      departments: ['Sales'],
      active: true,
      mustChangePassword: false,
      language: null,
    }
    const sales = (name: string) => ({ type: 'department', id: department.id, name })
    expect(entries.map(({ action, object, details }) => ({ action, object, details }))).to.deep.equal([
      {
        action: 'department.create',
        object: sales('Sales'),
        details: { after: { name: 'Sales', managers: ['Anna'], funnels: [] } },
      },
      {
        action: 'department.change',
        object: sales('Sales'),
        details: { before: { managers: [] }, after: { managers: ['Max'] } },
      },
      { action: 'person.create', object: max, details: { after: created } },
      {
        action: 'person.change',
        object: max,
        details: { before: { rights, language: null }, after: { rights: { ...rights, export: true }, language: 'ru' } },
      },
      { action: 'person.change', object: max, details: { before: {}, after: { password: 'changed' } } },
      {
        action: 'department.change',
        object: sales('Sales'),
        details: { before: { managers: ['Max'] }, after: { managers: [] } },
      },
      {
        action: 'person.change',
        object: max,
        details: { before: { departments: ['Sales'] }, after: { departments: [] } },
      },
      { action: 'person.deactivate', object: max, details: { before: { active: true }, after: { active: false } } },
      {
        action: 'department.change',
        object: sales('Sales team'),
        details: { before: { name: 'Sales' }, after: { name: 'Sales team' } },
      },
      {
        action: 'department.delete',
        object: sales('Sales team'),
        details: { before: { name: 'Sales team', managers: ['Anna'], funnels: [] } },
      },
    ])
    expect(entries.every((entry) => entry.person?.email === 'olga@example.com')).to.equal(true)
    const { rows } = await app.db.query('SELECT string_agg(a::text, $1) AS text FROM audit a', ['\n'])
    for (const secret of [...passwords, '$argon2']) expect(rows[0].text).to.not.include(secret)
  })

  it('a moved or renamed manager gets audit entries for each changed roster', async () => {
    const [one, two] = [await createDepartment(app, 'One', ['Ida']), await createDepartment(app, 'Two')]
    const mia = await createLoggedInPerson(app, 'Mia', { departments: [one] })
    const rosters = async (changes: object) => {
      const entries = await entriesDuring(() => app.olga.patch(`/v1/people/${mia.id}`, changes))
      const ofDepartments = entries.filter(({ action }) => action === 'department.change')
      return Object.fromEntries(ofDepartments.map(({ object, details }) => [object!.name, details]))
    }
    const change = (went: string[], came: string[]) => ({ before: { managers: went }, after: { managers: came } })
    expect(await rosters({ departments: [two] })).to.deep.equal({ One: change(['Mia'], []), Two: change([], ['Mia']) })
    expect(await rosters({ name: 'Maja' })).to.deep.equal({ Two: change(['Mia'], ['Maja']) })
    expect(await rosters({ rights: { export: true } })).to.deep.equal({})
    expect(await rosters({ name: 'Ida', departments: [one] })).to.deep.equal({ Two: change(['Maja'], []) })
  })

  it('a rejected change writes no audit entry', async () => {
    const entries = await entriesDuring(async () => {
      const { id } = (await app.olga.get('/v1/auth/me')).json.person
      expect((await app.olga.post(`/v1/people/${id}/deactivate`)).status).to.equal(409)
      expect((await app.olga.post('/v1/departments', { name: '' })).status).to.equal(400)
    })
    expect(entries).to.deep.equal([])
  })
})
