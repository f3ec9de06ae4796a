import { expect } from 'chai'
import { TestClient, type TestResponse } from '../../test/client.ts'
import { createTestPeople, createLoggedInPerson, logInAsPerson, type TestPeople } from '../../test/people.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { expectErrorResponse } from '../../test/violation.ts'

const ALL_RIGHTS = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
const NO_RIGHTS = { audio: false, export: false, manageRecordings: false, analytics: false, editRules: false }

describe('people', () => {
  let app: TestApp
  let cast: TestPeople
  let olgaId: string
  let number = 0
  /** Returns valid fields of a new person with a unique e-mail and name. */
  const newcomer = (more: object = {}) => {
    number++
    return {
      email: `new${number}@example.com`,
      name: `New ${number}`,
      password: 'forty blue umbrellas',
      role: 'manager',
      ...more,
    }
  }
  const names = ({ json }: TestResponse): string[] => json.items.map(({ name }: { name: string }) => name)

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000 })
    cast = await createTestPeople(app)
    olgaId = (await app.olga.get('/v1/auth/me')).json.person.id
  })
  after(() => app.stop())

  describe('new people', () => {
    it('an owner can add a person, who gets default rights and can log in', async () => {
      for (const [role, rights] of [
        ['owner', ALL_RIGHTS],
        ['head', ALL_RIGHTS],
        ['manager', { ...NO_RIGHTS, audio: true }],
      ] as const) {
        const given = newcomer({ role, departments: [], language: 'ru' })
        const { status, json, headers } = await app.olga.post('/v1/people', given)
        expect(status).to.equal(201)
        expect(headers.get('location')).to.equal(`/v1/people/${json.id}`)
        const { email, name } = given
        expect(json).to.deep.include({ email, name, role, rights, departments: [], active: true, language: 'ru' })
        expect(json.lastLoginAt).to.equal(null)
        const me = (await (await logInAsPerson(app, email, given.password)).get('/v1/auth/me')).json.person
        expect(Date.parse(me.lastLoginAt)).to.be.at.least(Date.parse(me.createdAt))
        expect((await app.olga.get(`/v1/people/${json.id}`)).json).to.deep.equal(me)
        await app.olga.post(`/v1/people/${json.id}/deactivate`)
      }
    })

    it('requested rights replace the default rights of a new person', async () => {
      const given = newcomer({ role: 'head', rights: { export: false }, departments: [cast.support] })
      const { json } = await app.olga.post('/v1/people', given)
      expect(json.rights).to.deep.equal({ ...ALL_RIGHTS, export: false })
      expect(json.departments).to.deep.equal([{ id: cast.support, name: 'Support' }])
    })

    it('an e-mail that is taken in any case gets 409', async () => {
      expectErrorResponse(await app.olga.post('/v1/people', newcomer({ email: 'OLGA@Example.com' })), 409, 'e-mail')
      expectErrorResponse(
        await app.olga.patch(`/v1/people/${cast.max.id}`, { email: 'Otto@example.com' }),
        409,
        'e-mail',
      )
    })

    it('a conflict of e-mail and name names the e-mail', async () => {
      const taken = { email: 'olga@example.com', name: 'Otto', departments: [cast.sales] }
      const { status, json } = await app.olga.post('/v1/people', newcomer(taken))
      expect([status, json.message]).to.deep.equal([409, 'This e-mail is already in use'])
      const changed = await app.olga.patch(`/v1/people/${cast.max.id}`, taken)
      expect([changed.status, changed.json.message]).to.deep.equal([409, json.message])
      const last = await app.olga.patch(`/v1/people/${olgaId}`, { email: 'max@example.com', role: 'head' })
      expect([last.status, last.json.message]).to.deep.equal([409, json.message])
      expect((await app.olga.get(`/v1/people/${cast.max.id}`)).json).to.include({
        email: 'max@example.com',
        name: 'Max',
      })
    })

    it('an invalid field of a new person gets 400 with its name', async () => {
      for (const [field, fields] of [
        ['email', { email: 'nobody' }],
        ['name', { name: ' \t ' }],
        ['name', { name: undefined }],
        ['password', { password: 'short12' }],
        ['password', { password: 'x'.repeat(1025) }],
        ['role', { role: 'admin' }],
        ['rights.sing', { rights: { sing: true } }],
        ['rights.audio', { rights: { audio: 'yes' } }],
        ['rights.audio', { role: 'owner', rights: { audio: false } }],
        ['departments', { departments: ['sales'] }],
        ['departments', { departments: ['01890a5d-ac96-774b-bcce-b302099a8060'] }],
        ['departments', { departments: [cast.sales, cast.support] }],
        ['language', { language: 'de' }],
        ['passwordHash', { passwordHash: 'x' }],
      ] as [string, object][]) {
        const answer = await app.olga.post('/v1/people', newcomer(fields))
        expectErrorResponse(answer, 400, `^${field.replace('.', '\\.')} `)
      }
    })

    it('an owner can give any password of 8 to 1024 characters', async () => {
      const passwords = [
        'password1',
        'manager123',
        'other.one0@example.com',
        '8 digits',
        'ю'.repeat(8),
        'x'.repeat(1024),
      ]
      for (const [n, password] of passwords.entries()) {
        const given = newcomer({ email: `other.one${n}@example.com`, name: `Other ${n}`, password })
        expect((await app.olga.post('/v1/people', given)).status, password.slice(0, 30)).to.equal(201)
        await logInAsPerson(app, given.email, password)
      }
      await app.db.query(`DELETE FROM people WHERE email LIKE 'other.one%'`)
    })
  })

  describe('list of people', () => {
    it('an owner can list and filter all people by name', async () => {
      const all = await app.olga.get('/v1/people?pageSize=100')
      expect(all.json.total).to.equal(all.json.items.length)
      expect(names(all)).to.deep.equal(names(all).toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
      const second = await app.olga.get('/v1/people?page=2&pageSize=2')
      expect(names(second)).to.deep.equal(names(all).slice(2, 4))
      expect(names(await app.olga.get('/v1/people?q=HANN'))).to.deep.equal(['Hanna'])
      expect(names(await app.olga.get('/v1/people?q=max@'))).to.deep.equal(['Max'])
      expect((await app.olga.get('/v1/people?q=%25')).json.total).to.equal(0)
      expect(names(await app.olga.get(`/v1/people?department=${cast.sales}`))).to.deep.equal(['Hanna', 'Max'])
      expect(names(await app.olga.get(`/v1/people?department=${cast.sales}&role=head`))).to.deep.equal(['Hanna'])
      const deactivated = (await app.olga.get('/v1/people?active=false&pageSize=100')).json
      expect(deactivated.total).to.be.greaterThan(0)
      expect(deactivated.items.every(({ active }: { active: boolean }) => !active)).to.equal(true)
    })

    it('a head sees only themselves and people of their departments', async () => {
      const both = await createLoggedInPerson(app, 'Berta', { role: 'head', departments: [cast.sales, cast.support] })
      expect(names(await cast.hanna.get('/v1/people'))).to.deep.equal(['Hanna', 'Max'])
      expect(names(await both.get(`/v1/people?department=${cast.support}&q=otto`))).to.deep.equal(['Otto'])
      expect((await both.get('/v1/people')).json.total).to.be.at.least(4)
      for (const id of [olgaId, cast.otto.id, both.id]) {
        expect((await cast.hanna.get(`/v1/people/${id}`)).status).to.equal(404)
        expect((await cast.hanna.patch(`/v1/people/${id}`, { name: 'Mine' })).status).to.equal(404)
        expect((await cast.hanna.post(`/v1/people/${id}/deactivate`)).status).to.equal(404)
      }
      expect((await cast.hanna.get(`/v1/people/${cast.max.id}`)).json.name).to.equal('Max')
    })
  })

  describe('changes of people', () => {
    it('a change of a person leaves omitted fields unchanged', async () => {
      const before = (await app.olga.get(`/v1/people/${cast.max.id}`)).json
      const after = await app.olga.patch(`/v1/people/${cast.max.id}`, { rights: { editRules: true }, language: 'en' })
      expect(after.status).to.equal(200)
      expect(after.json).to.deep.equal({ ...before, rights: { ...before.rights, editRules: true }, language: 'en' })
      expect((await app.olga.patch(`/v1/people/${cast.max.id}`, {})).json).to.deep.equal(after.json)
    })

    it('a person with a new role gets the default rights of the role', async () => {
      const max = await createLoggedInPerson(app, 'Rolf', { rights: { export: true } })
      const change = async (changes: object) => (await app.olga.patch(`/v1/people/${max.id}`, changes)).json.rights
      expect(await change({ role: 'owner' })).to.deep.equal(ALL_RIGHTS)
      expect(await change({ role: 'manager', rights: { analytics: true } })).to.deep.equal({
        ...NO_RIGHTS,
        audio: true,
        analytics: true,
      })
    })

    it('a change of rights or role takes effect on the next request', async () => {
      const person = await createLoggedInPerson(app, 'Nora', { role: 'head', departments: [cast.sales] })
      const path = `/v1/people/${person.id}`
      const stats = async () => (await person.get('/v1/stats/overview')).status
      expect(await stats()).to.equal(200)
      await app.olga.patch(path, { rights: { analytics: false } })
      expect(await stats()).to.equal(403)
      await app.olga.patch(path, { rights: { analytics: true } })
      expect(await stats()).to.equal(200)
      await app.olga.patch(path, { role: 'manager' })
      expect(await stats()).to.equal(403)
      expect((await person.get('/v1/people')).status).to.equal(403)
    })

    it('a new password ends the sessions of the person', async () => {
      const person = await createLoggedInPerson(app, 'Petra')
      const password = 'ninety green kettles'
      expect((await app.olga.patch(`/v1/people/${person.id}`, { password })).status).to.equal(200)
      expect((await person.get('/v1/auth/me')).status).to.equal(401)
      const old = await app.nobody.post('/v1/auth/login', {
        email: 'petra@example.com',
        password: OWNER_CREDENTIALS.password,
      })
      expect(old.status).to.equal(401)
      await logInAsPerson(app, 'petra@example.com', password)
      const own = await app.olga.patch(`/v1/people/${olgaId}`, { password })
      expectErrorResponse(own, 400, '^password .*/v1/auth/password')
    })

    it('a deactivated person is logged out and cannot log in until reactivated', async () => {
      const person = await createLoggedInPerson(app, 'Ingo')
      const { status, json } = await app.olga.post(`/v1/people/${person.id}/deactivate`)
      expect(status).to.equal(200)
      expect(json.active).to.equal(false)
      expect((await app.olga.post(`/v1/people/${person.id}/deactivate`)).status, 'again').to.equal(200)
      expect((await person.get('/v1/auth/me')).status).to.equal(401)
      const login = { email: 'ingo@example.com', password: OWNER_CREDENTIALS.password }
      expect((await app.nobody.post('/v1/auth/login', login)).status).to.equal(401)
      await app.olga.patch(`/v1/people/${person.id}`, { active: true })
      expect((await person.get('/v1/auth/me')).status).to.equal(401)
      await logInAsPerson(app, login.email)
    })

    it('a change of an unknown person gets 404', async () => {
      for (const id of ['01890a5d-ac96-774b-bcce-b302099a8060', 'max']) {
        expect((await app.olga.patch(`/v1/people/${id}`, { name: 'X' })).status).to.equal(404)
        expect((await app.olga.post(`/v1/people/${id}/deactivate`)).status).to.equal(404)
      }
    })
  })

  describe('last active owner', () => {
    const owners = async () =>
      (await app.db.query(`SELECT id FROM people WHERE role = 'owner' AND active`)).rows.map(({ id }) => id as string)

    it('the last active owner cannot be deactivated or demoted', async () => {
      expect(await owners()).to.deep.equal([olgaId])
      for (const answer of [
        await app.olga.post(`/v1/people/${olgaId}/deactivate`),
        await app.olga.patch(`/v1/people/${olgaId}`, { active: false }),
        await app.olga.patch(`/v1/people/${olgaId}`, { role: 'head' }),
      ]) {
        expectErrorResponse(answer, 409, 'At least one active owner must remain')
      }
      expect((await app.olga.get('/v1/auth/me')).json.person.role).to.equal('owner')
    })

    it('one owner remains if two owners are deactivated at the same moment', async () => {
      for (let round = 0; round < 10; round++) {
        const two = [
          await createLoggedInPerson(app, `Owner A${round}`, { role: 'owner' }),
          await createLoggedInPerson(app, `Owner B${round}`, { role: 'owner' }),
        ]
        await app.db.query('UPDATE people SET active = false WHERE id = $1', [olgaId])
        const act = (client: TestClient, id: string) => client.patch(`/v1/people/${id}`, { active: false })
        const whom = round % 2 ? [two[1]!, two[0]!] : two
        const statuses = (await Promise.all(two.map((client, n) => act(client, whom[n]!.id)))).map(
          ({ status }) => status,
        )
        const left = await owners()
        await app.db.query('UPDATE people SET active = (id = $1) WHERE role = $2', [olgaId, 'owner'])
        expect(left).to.have.length(1)
        expect(statuses.filter((status) => status === 200)).to.have.length(1)
        expect(statuses.find((status) => status !== 200)).to.be.oneOf([401, 409])
      }
    })
  })

  // Keep this block last: the person that it adds appears in all lists.
  describe('initial password', () => {
    it('mustChangePassword stays true until the person changes their password', async () => {
      const given = newcomer({ mustChangePassword: true })
      const { json } = await app.olga.post('/v1/people', given)
      expect(json.mustChangePassword).to.equal(true)
      const client = await logInAsPerson(app, given.email, given.password)
      const mustChangePassword = async () => (await client.get('/v1/auth/me')).json.person.mustChangePassword
      expect(await mustChangePassword()).to.equal(true)
      const wrong = { currentPassword: 'not this one', newPassword: 'sixty red umbrellas' }
      expect((await client.post('/v1/auth/password', wrong)).status).to.equal(400)
      expect(await mustChangePassword()).to.equal(true)
      await client.post('/v1/auth/password', { ...wrong, currentPassword: given.password })
      expect(await mustChangePassword()).to.equal(false)
      await app.olga.patch(`/v1/people/${json.id}`, { mustChangePassword: true })
      expect(await mustChangePassword()).to.equal(true)
      // Only those who can change the password of a person can request a change of it.
      const bella = await createLoggedInPerson(app, 'Bella', { role: 'head', departments: [cast.sales] })
      expectErrorResponse(
        await cast.hanna.patch(`/v1/people/${bella.id}`, { mustChangePassword: true }),
        403,
        /^mustChangePassword can only be changed by/,
      )
    })
  })
})
