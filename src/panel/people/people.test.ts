import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, createLoggedInPerson, type TestPeople } from '../../test/people.ts'
import {
  openLoggedInBrowser,
  findElementText,
  HOSTILE_NAME,
  submitPanelForm as send,
  HOSTILE_NAME_HTML,
} from '../../test/panel-forms.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: people', () => {
  let app: TestPanel
  let cast: TestPeople
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
    cast = await createTestPeople(app)
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  const browserOf = (email: string) => openLoggedInBrowser(app, email)
  const rowsOf = (text: string) => [...text.matchAll(/<td class="name"><a [^>]*><bdi>([^<]*)/g)].map(([, name]) => name)
  const person = async (id: string) => (await app.olga.get(`/v1/people/${id}`)).json
  const newcomer: [string, string][] = [
    ['name', 'Nina'],
    ['email', 'nina@example.com'],
    ['password', 'forty blue umbrellas'],
    ['role', 'manager'],
  ]

  describe('list of people', () => {
    it('an owner sees all people with role, departments and last login', async () => {
      const { text } = await olga.open('/people')
      expect(rowsOf(text)).to.deep.equal(['Hanna', 'Max', 'olga', 'Otto'])
      expect(text).to.contain(`href="/people/${cast.max.id}"`).and.contain('<bdi>max@example.com</bdi>')
      expect(text).to.match(/<td class="role">department head<\/td>\s*<td class="departments"><bdi>Sales<\/bdi>/)
      const may = (name: string) =>
        new RegExp(`href="/people/[^>]*><bdi>${name}</bdi>.*?<td class="may[^>]*>([^<]*)`, 's').exec(text)?.[1]
      expect([may('olga'), may('Max')]).to.deep.equal(['everything', 'listen, export, manage, reports, rules'])
      expect(text)
        .to.match(/<time datetime="20\d\d-[^"]+" title="[^"]+\(Europe\/Moscow\)">/)
        .and.contain('(you)')
      expect(text).to.match(/<a href="\/people" aria-current="page">People/)
    })

    it('the list is filtered by text, role, department and access in the address', async () => {
      expect(rowsOf((await olga.open('/people?q=ott')).text)).to.deep.equal(['Otto'])
      expect(rowsOf((await olga.open('/people?role=head')).text)).to.deep.equal(['Hanna'])
      const both = (await olga.open(`/people?department=${cast.sales}&role=manager&active=true`)).text
      expect(rowsOf(both)).to.deep.equal(['Max'])
      expect(both).to.contain(`<option value="${cast.sales}" selected>Sales</option>`)
      expect(rowsOf((await olga.open('/people?role=king&department=none&page=x')).text)).to.have.length(4)
      const none = (await olga.open('/people?q=zzz')).text
      expect(none).to.contain('Nobody found').and.contain('Show everyone')
      expect((await olga.open('/people?page=9')).text).to.contain('This page does not exist.')
    })

    it('a head sees people of their departments; a manager gets 403', async () => {
      expect(rowsOf((await (await browserOf('hanna@example.com')).open('/people')).text)).to.deep.equal([
        'Hanna',
        'Max',
      ])
      const max = await browserOf('max@example.com')
      for (const path of ['/people', '/people/new', '/departments', '/departments/new', `/people/${cast.hanna.id}`]) {
        expect((await max.open(path)).status, path).to.equal(403)
      }
      expect((await max.open('/recordings')).text).not.to.contain('href="/people"')
    })
  })

  describe('form of a person', () => {
    it('an owner adds a person with the chosen permissions and departments', async () => {
      const fresh = (await olga.open('/people/new')).text
      expect(fresh)
        .to.match(/name="role" value="manager"[^>]* checked/)
        .and.match(/name="rights" value="audio" checked/)
      const fields: [string, string][] = [
        ...newcomer,
        ['rights', 'export'],
        ['departments', cast.sales],
        ['language', 'ru'],
      ]
      const { status, headers } = await send(olga, '/people/new', fields)
      expect(status).to.equal(303)
      expect(headers.get('location')).to.equal('/people')
      const { json } = await app.olga.get('/v1/people?q=nina')
      expect(json.items[0]).to.deep.include({ name: 'Nina', role: 'manager', language: 'ru', active: true })
      expect(json.items[0].rights).to.deep.include({ audio: false, export: true })
      expect(json.items[0].departments[0].name).to.equal('Sales')
    })

    it('the next page shows once that a person was added', async () => {
      const fields: [string, string][] = [['name', 'Nadia'], ['email', 'nadia@example.com'], ...newcomer.slice(2)]
      const { headers } = await send(olga, '/people/new', fields)
      const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0])
      const { text } = await olga.get('/people', { Cookie: [olga.headers.Cookie, ...cookies].join('; ') })
      expect(text).to.contain('Nadia added. They can log in now.')
    })

    it('a rejected person keeps the typed values except the password, with errors beside fields', async () => {
      const fields: [string, string][] = [
        ['name', HOSTILE_NAME],
        ['email', 'no-mail'],
        ['password', 'short'],
        ['role', 'head'],
        ['rights', 'export'],
        ['departments', cast.support],
      ]
      const { status, text } = await send(olga, '/people/new', fields)
      expect(status).to.equal(400)
      expect(findElementText(text, 'f-email-error')).to.equal('Must be an e-mail address.')
      expect(findElementText(text, 'f-password-error')).to.equal('Must have at least 8 characters.')
      expect(text).to.contain(`value="${HOSTILE_NAME_HTML}"`).and.contain('value="no-mail"').and.not.contain('"short"')
      expect(text).to.match(/name="role" value="head"[^>]* checked/)
      expect(text).to.contain(`value="${cast.support}" checked`).and.contain('value="export" checked')
      expect(text).not.to.contain('value="audio" checked')
    })

    it('a common password is accepted with a translated warning', async () => {
      for (const [lang, warning] of [
        ['en', /can log in now\. This password is among the most common/],
        ['ru', /самых частых паролей/],
      ] as const) {
        const input = {
          ...Object.fromEntries(newcomer),
          email: `weak-${lang}@example.com`,
          name: `Weak ${lang}`,
          password: 'manager123',
        }
        const headers = { 'Accept-Language': lang }
        const { status, headers: answered } = await olga.submit('/people/new', Object.entries(input), headers)
        expect([status, answered.get('location')]).to.deep.equal([303, '/people'])
        expect((await olga.open('/people', headers)).text).to.match(warning)
      }
      await app.db.query(`DELETE FROM people WHERE email LIKE 'weak-%'`)
    })

    it('conflicts with people and rosters are explained in the person’s language', async () => {
      const errorPage = async (fields: Record<string, string>, lang = 'en') => {
        const input = { ...Object.fromEntries(newcomer), email: 'fresh@example.com', ...fields }
        return (await send(olga, '/people/new', Object.entries(input), { 'Accept-Language': lang })).text
      }
      expect(await errorPage({ email: 'MAX@example.com' })).to.contain('This e-mail is already in use.')
      expect(await errorPage({ name: 'otto', departments: cast.sales })).to.contain('Otto is in the roster of Support.')
      expect(await errorPage({ email: 'MAX@example.com' }, 'ru')).to.contain('Эта почта уже занята.')
      const two = [...newcomer.slice(1), ['name', 'Two'], ['departments', cast.sales], ['departments', cast.support]]
      const { text } = await send(olga, '/people/new', two as [string, string][])
      expect(findElementText(text, 'f-departments-error')).to.equal(
        'Must contain at most one department for a manager.',
      )
    })

    it('an owner changes a person; an empty password keeps the old one', async () => {
      const ulla = await createLoggedInPerson(app, 'Ulla', { departments: [cast.sales] })
      const path = `/people/${ulla.id}`
      const pageText = (await olga.open(path)).text
      expect(pageText)
        .to.contain(`value="${cast.sales}" checked`)
        .and.match(/name="role" value="manager"[^>]* checked/)
      const fields: [string, string][] = [
        ['name', 'Ulla New'],
        ['email', 'ulla@example.com'],
        ['password', ''],
        ['role', 'head'],
        ['rights', 'audio'],
        ['rights', 'analytics'],
        ['departments', cast.sales],
        ['departments', cast.support],
        ['language', ''],
      ]
      const { status, headers } = await send(olga, path, fields)
      expect([status, headers.get('location')]).to.deep.equal([303, path])
      const after = await person(ulla.id)
      expect(after).to.deep.include({ name: 'Ulla New', role: 'head', language: null })
      expect(after.rights).to.include({ audio: true, analytics: true, export: false })
      expect(after.departments).to.have.length(2)
      expect((await ulla.get('/v1/auth/me')).status, 'the session goes on').to.equal(200)
      const invalid = await send(olga, path, [['name', ' '], ...fields.slice(1)])
      expect(invalid.status).to.equal(400)
      expect(findElementText(invalid.text, 'f-name-error')).to.equal('Must not be empty.')
    })

    it('an owner deactivates and reactivates a person', async () => {
      const path = `/people/${cast.otto.id}`
      expect((await olga.open(path)).text)
        .to.contain(`action="${path}/deactivate"`)
        .and.contain('Deactivate Otto? Their calls stay.')
      expect((await send(olga, `${path}/deactivate`, [])).status).to.equal(303)
      expect((await person(cast.otto.id)).active).to.equal(false)
      expect((await olga.open('/people')).text).to.match(/Otto<\/bdi><\/a> <span class="badge">no access/)
      const pageText = (await olga.open(path)).text
      expect(pageText).to.contain(`action="${path}/activate"`).and.contain('no access')
      expect((await send(olga, `${path}/activate`, [])).status).to.equal(303)
      expect((await person(cast.otto.id)).active).to.equal(true)
    })

    it('the last owner cannot be deactivated or change their role', async () => {
      const { id } = (await app.olga.get('/v1/auth/me')).json.person
      const own = (await olga.open(`/people/${id}`)).text
      expect(own).to.contain('This is you.').and.not.contain('type="password"')
      for (const [path, fields] of [
        [`/people/${id}/deactivate`, []],
        [`/people/${id}`, [['name', 'Olga'], ['email', OWNER_CREDENTIALS.email], ['role', 'head']]],
      ] as [string, [string, string][]][]) {
        const { status, text } = await send(olga, path, fields)
        expect(status).to.equal(409)
        expect(text).to.contain('At least one active owner must remain')
      }
    }) // prettier-ignore

    it('a head can give only their own departments, permissions and roles up to theirs', async () => {
      await app.olga.patch(`/v1/people/${cast.hanna.id}`, { rights: { export: false } })
      const hanna = await browserOf('hanna@example.com')
      const { text } = await hanna.open('/people/new')
      expect(text).to.contain('value="head"').and.not.contain('value="owner"')
      expect(text).to.contain(`value="${cast.sales}" checked`).and.not.contain(cast.support)
      expect(text).to.match(/value="export"\s+disabled/)
      const fields: [string, string][] = [...newcomer.slice(2), ['name', 'Uwe'], ['email', 'uwe@example.com'], ['rights', 'export']]
      expect(findElementText((await send(hanna, '/people/new', fields)).text, 'f-departments-error')).to.equal('Must contain at least one of your departments.')
      expect((await send(hanna, '/people/new', [...fields, ['departments', cast.sales]])).status).to.equal(303)
      expect((await app.olga.get('/v1/people?q=uwe')).json.items[0].rights.export).to.equal(false)
      const own = (await hanna.open(`/people/${cast.hanna.id}`)).text
      expect(own).to.not.contain('name="role"').and.not.contain('name="departments"').and.not.contain('/deactivate')
      const personFields: [string, string][] = [['name', 'Hanna'], ['email', 'hanna@example.com'], ['language', 'en']]
      expect((await send(hanna, `/people/${cast.hanna.id}`, personFields)).status).to.equal(303)
      expect(await person(cast.hanna.id)).to.deep.include({ role: 'head', language: 'en' })
      expect((await hanna.open(`/people/${cast.otto.id}`)).status).to.equal(404)
      await app.olga.patch(`/v1/people/${cast.hanna.id}`, { language: null, rights: { export: true } })
    }) // prettier-ignore

    it('a head sees why a name is rejected and no fields reserved for owners', async () => {
      const hugo = await createLoggedInPerson(app, 'Hugo', { role: 'head', departments: [cast.sales] })
      await insertCalls(app, [{ manager: 'Stray Name' }])
      const hanna = await browserOf('hanna@example.com')
      const nameError = async (fields: Record<string, string>) => {
        const input = { ...Object.fromEntries(newcomer), email: 'stray@example.com', departments: cast.sales, ...fields }
        const { status, text } = await send(hanna, '/people/new', Object.entries(input))
        return `${status} ${/class="form-error"[^>]*>([^<]*)/.exec(text)?.[1]}`
      }
      expect(await nameError({ name: 'Otto' })).to.equal('409 The name belongs to another department.')
      expect(await nameError({ name: 'Stray Name' })).to.match(/^409 The name belongs to another person or to calls outside/)
      expect(await nameError({ name: 'Hugo', role: 'head' })).to.match(/^409 The name belongs to another person/)
      expect(await nameError({ name: 'Max' })).to.match(/^409 The department already has a manager with this name/)
      const path = `/people/${hugo.id}`
      const { text } = await hanna.open(path)
      expect(text).to.contain('Only an owner can edit this person.').and.contain('<bdi>hugo@example.com</bdi>')
      for (const name of ['name', 'email', 'password', 'role', 'rights']) expect(text).to.not.contain(`name="${name}"`)
      expect(text).to.not.contain('/deactivate')
      expect(text).to.contain('name="departments"')
      const saved = await send(hanna, path, [['departments', cast.sales], ['language', 'ru']])
      expect(saved.status).to.equal(303)
      expect(await person(hugo.id)).to.deep.include({ name: 'Hugo', language: 'ru', role: 'head', email: 'hugo@example.com' })
      expect((await send(hanna, `${path}/deactivate`, [])).status).to.equal(403)
      expect((await hanna.open(`/people/${cast.hanna.id}`)).text).to.contain('name="email"').and.not.contain('name="name"')
      expect((await olga.open(path)).text).to.contain('name="password"').and.contain('/deactivate')
      await app.olga.patch(`/v1${path}`, { active: false, departments: [] })
      await app.db.query(`DELETE FROM recordings WHERE manager_name = 'Stray Name'`)
    }) // prettier-ignore

    it('a form from another site gets 403 and changes nothing', async () => {
      const headers = { 'Sec-Fetch-Site': 'cross-site' }
      expect((await send(olga, `/people/${cast.max.id}/deactivate`, [], headers)).status).to.equal(403)
      expect((await send(olga, '/departments/new', [['name', 'Evil']], headers)).status).to.equal(403)
      expect((await person(cast.max.id)).active).to.equal(true)
    })
  })

  it('the pages of people and departments are in Russian for a Russian browser', async () => {
    const russian = await app.openOwnerBrowser({ 'Accept-Language': 'ru' })
    for (const [path, words] of [
      ['/people', ['Сотрудники', 'Последний вход', 'руководитель']],
      ['/people/new', ['Новый сотрудник', 'Пароль', 'слушать и скачивать записи']],
      [`/people/${cast.max.id}`, ['Закрыть доступ', 'Новый пароль']],
      ['/departments', ['Отделы', 'Менеджеры']],
      [`/departments/${cast.sales}`, ['По одному имени в строке']],
    ] as const) {
      const { text } = await russian.open(path)
      for (const word of words) expect(text, path).to.contain(word)
    }
  })
})
