import { expect } from 'chai'
import { auditOf, type AuditEntry } from '../test/audit.ts'
import { startWorld, type TestWorld } from '../test/server.ts'

describe('audit log of people and departments', () => {
  let world: TestWorld
  before(async () => {
    world = await startWorld({ API_RUN_MODE: 'api' })
  })
  after(() => world.stop())

  const PEOPLE = [
    'person.create', 'person.change', 'person.deactivate', 'department.create', 'department.change', 'department.delete',
  ] // prettier-ignore
  async function during(work: () => Promise<unknown>): Promise<AuditEntry[]> {
    const filter = `action=${PEOPLE.join(',')}`
    const before = new Set((await auditOf(world, filter)).map(({ id }) => id))
    await work()
    return (await auditOf(world, filter)).filter(({ id }) => !before.has(id)).toReversed()
  }

  it('notes each change with what differs before and after, of a password only that it was changed', async () => {
    const passwords = ['a first long password', 'a second long password']
    let person = { id: '' }
    let department = { id: '' }
    const entries = await during(async () => {
      department = (await world.olga.post('/v1/departments', { name: 'Sales', managers: ['Anna'] })).json
      const given = { email: 'max@example.com', name: 'Max', role: 'manager', departments: [department.id] }
      person = (await world.olga.post('/v1/people', { ...given, password: passwords[0] })).json
      await world.olga.patch(`/v1/people/${person.id}`, { rights: { export: true }, language: 'ru' })
      await world.olga.patch(`/v1/people/${person.id}`, { password: passwords[1] })
      await world.olga.patch(`/v1/people/${person.id}`, { name: 'Max', language: 'ru' })
      await world.olga.patch(`/v1/people/${person.id}`, { departments: [] })
      await world.olga.post(`/v1/people/${person.id}/deactivate`)
      await world.olga.post(`/v1/people/${person.id}/deactivate`)
      await world.olga.patch(`/v1/departments/${department.id}`, { name: 'Sales team' })
      await world.olga.patch(`/v1/departments/${department.id}`, { name: 'Sales team' })
      await world.olga.delete(`/v1/departments/${department.id}`)
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
      language: null,
    }
    const sales = (name: string) => ({ type: 'department', id: department.id, name })
    expect(entries.map(({ action, object, details }) => ({ action, object, details }))).to.deep.equal([
      {
        action: 'department.create',
        object: sales('Sales'),
        details: { after: { name: 'Sales', managers: ['Anna'] } },
      },
      { action: 'person.create', object: max, details: { after: created } },
      {
        action: 'person.change',
        object: max,
        details: { before: { rights, language: null }, after: { rights: { ...rights, export: true }, language: 'ru' } },
      },
      { action: 'person.change', object: max, details: { before: {}, after: { password: 'changed' } } },
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
        details: { before: { name: 'Sales team', managers: ['Anna'] } },
      },
    ])
    expect(entries.every((entry) => entry.person?.email === 'olga@example.com')).to.equal(true)
    const { rows } = await world.db.query('SELECT string_agg(a::text, $1) AS text FROM audit a', ['\n'])
    for (const secret of [...passwords, '$argon2']) expect(rows[0].text).to.not.include(secret)
  })

  it('notes nothing of a change that was refused', async () => {
    const entries = await during(async () => {
      const { id } = (await world.olga.get('/v1/auth/me')).json.person
      expect((await world.olga.post(`/v1/people/${id}/deactivate`)).status).to.equal(409)
      expect((await world.olga.post('/v1/departments', { name: '' })).status).to.equal(400)
    })
    expect(entries).to.deep.equal([])
  })
})
