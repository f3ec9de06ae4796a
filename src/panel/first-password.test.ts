import { expect } from 'chai'
import { insertCalls } from '../test/calls.ts'
import { IN_PLACE, REFRESH, startTestPanel, type Browser, type TestPanel } from './start-panel.test.ts'

describe('panel: the first password of a person', () => {
  let app: TestPanel
  let olga: Browser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
    olga = await app.olgasBrowser()
    await insertCalls(app, [{ manager: 'Ivan Sidorov' }, { manager: 'Ivan Sidorov' }, { manager: 'Anna' }])
  })
  after(() => app.stop())

  const add = (name: string, more: Record<string, string> = {}) => {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
    return olga.submit('/people/new', { name, email, role: 'manager', password: '', ...more })
  }
  const shownPassword = (text: string) => /id="new-password" readonly value="([^"]*)"/.exec(text)?.[1]
  const personCalled = async (name: string) =>
    (await app.olga.get(`/v1/people?q=${encodeURIComponent(name)}`)).json.items[0]

  it('is made by the panel, shown once, and changed before anything else is seen', async () => {
    const { status, text } = await add('Nina')
    expect(status).to.equal(200)
    const password = shownPassword(text)!
    expect(password).to.match(/^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    const { id } = await personCalled('Nina')
    expect((await personCalled('Nina')).mustChangePassword).to.equal(true)
    expect((await olga.open(`/people/${id}`)).text).to.not.contain(password)

    const nina = app.browser()
    await nina.submit('/login', { email: 'nina@example.com', password, next: '/' })
    for (const path of ['/recordings', `/people/${id}`, '/statistics']) {
      const { status, headers } = await nina.open(path)
      expect([status, headers.get('location')], path).to.deep.equal([303, '/account'])
    }
    expect((await nina.open('/recordings', REFRESH)).headers.get('hx-redirect')).to.equal('/account')
    expect((await nina.open('/recordings', IN_PLACE)).headers.get('hx-redirect')).to.equal('/account')
    expect((await nina.open('/account')).text).to.contain('Your password was given to you.')
    const wrong = await nina.submit('/account/password', { currentPassword: password, newPassword: 'short' })
    expect(wrong.status).to.equal(400)

    const own = { currentPassword: password, newPassword: 'forty blue umbrellas' }
    const changed = await nina.submit('/account/password', own)
    expect([changed.status, changed.headers.get('location')]).to.deep.equal([303, '/'])
    expect((await nina.open('/recordings')).status).to.equal(200)
    expect((await nina.open('/account')).text).to.not.contain('was given to you')
    expect((await personCalled('Nina')).mustChangePassword).to.equal(false)
  })

  it('is made anew for somebody who forgot theirs, and need not be changed where nobody asks for it', async () => {
    await add('Pavel', { password: 'forty blue umbrellas' })
    const { id, email, mustChangePassword } = await personCalled('Pavel')
    expect(mustChangePassword).to.equal(false)
    const fields = { name: 'Pavel', email, role: 'manager', rights: 'audio' }
    const { status, text } = await olga.submit(`/people/${id}`, { ...fields, generate: 'true' })
    expect(status).to.equal(200)
    expect((await personCalled('Pavel')).mustChangePassword).to.equal(true)
    expect(text).to.match(/name="mustChange" value="true" checked/)
    const pavel = app.browser()
    expect((await pavel.submit('/login', { email, password: shownPassword(text)!, next: '/' })).status).to.equal(303)
    expect((await olga.submit(`/people/${id}`, fields)).status).to.equal(303)
    expect((await personCalled('Pavel')).mustChangePassword).to.equal(false)
  })

  it('is asked for again after an error where it was typed, so that no other is made unnoticed', async () => {
    const { status, text } = await add('Rita', { email: 'x', password: 'forty blue umbrellas' })
    expect(status).to.equal(400)
    expect(text).to.contain('Type the password again').and.contain('An e-mail address.')
    expect(text).to.not.contain('umbrellas')
  })

  it('names of calls are offered with their numbers, and one that no call carries is warned of', async () => {
    expect((await olga.open('/people/new')).text).to.contain(
      '<option value="Ivan Sidorov" label="Ivan Sidorov · 2"></option>',
    )
    expect((await add('Ivan Sidorow')).text).to.contain('no call carries the name “Ivan Sidorow” yet')
    expect((await add('ivan sidorov')).text).to.not.contain('no call carries')
    expect((await add('Head of all', { role: 'head' })).text).to.not.contain('no call carries')
  })
})
