import { expect } from 'chai'
import { describeInBrowser } from '../test/browser.ts'
import { insertCalls } from '../test/calls.ts'
import {
  HTMX_IN_PLACE_HEADERS,
  HTMX_REFRESH_HEADERS,
  startTestPanel,
  type PanelBrowser,
  type TestPanel,
} from '../test/panel.ts'

describe('panel: first password of a person', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
    olga = await app.openOwnerBrowser()
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

  it('a generated password is shown once and must be changed before other pages open', async () => {
    const { status, text } = await add('Nina')
    expect(status).to.equal(200)
    const password = shownPassword(text)!
    expect(password).to.match(/^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    const { id } = await personCalled('Nina')
    expect((await personCalled('Nina')).mustChangePassword).to.equal(true)
    expect((await olga.open(`/people/${id}`)).text).to.not.contain(password)

    const nina = app.browser()
    await nina.submit('/login', { email: 'nina@example.com', password, next: '/' })
    for (const path of ['/recordings', `/people/${id}`, '/analytics/load']) {
      const { status, headers } = await nina.open(path)
      expect([status, headers.get('location')], path).to.deep.equal([303, '/account'])
    }
    expect((await nina.open('/recordings', HTMX_REFRESH_HEADERS)).headers.get('hx-redirect')).to.equal('/account')
    expect((await nina.open('/recordings', HTMX_IN_PLACE_HEADERS)).headers.get('hx-redirect')).to.equal('/account')
    expect((await nina.open('/account')).text).to.contain('Temporary password. Set your own to continue.')
    const response = await nina.submit('/account/password', { currentPassword: password, newPassword: 'short' })
    expect(response.status).to.equal(400)

    const own = { currentPassword: password, newPassword: 'forty blue umbrellas' }
    const changed = await nina.submit('/account/password', own)
    expect([changed.status, changed.headers.get('location')]).to.deep.equal([303, '/'])
    expect((await nina.open('/recordings')).status).to.equal(200)
    expect((await nina.open('/account')).text).to.not.contain('Temporary password')
    expect((await personCalled('Nina')).mustChangePassword).to.equal(false)
  })

  it('an owner can generate a new password and waive its change at login', async () => {
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

  it('after an error, a form without scripts asks again for the typed password', async () => {
    const { status, text } = await add('Rita', { email: 'x', password: 'forty blue umbrellas' })
    expect(status).to.equal(400)
    expect(text).to.contain('Enter the password again').and.contain('Must be an e-mail address.')
    expect(text).to.not.contain('umbrellas')
    const input = { name: 'Rita', email: 'x', role: 'manager', password: 'forty blue umbrellas' }
    const kept = await olga.submit('/people/new', input, HTMX_IN_PLACE_HEADERS)
    expect(kept.status).to.equal(400)
    expect(kept.text)
      .to.contain('Must be an e-mail address.')
      .and.not.contain('Enter the password')
      .and.not.contain('umbrellas')
  })

  it('the form of a person suggests manager names and warns of names without calls', async () => {
    expect((await olga.open('/people/new')).text).to.contain(
      '<option value="Ivan Sidorov" label="Ivan Sidorov · 2"></option>',
    )
    expect((await add('Ivan Sidorow')).text).to.contain('No calls have the name “Ivan Sidorow” yet.')
    expect((await add('ivan sidorov')).text).to.not.contain('No calls have the name')
    expect((await add('Head of all', { role: 'head' })).text).to.not.contain('No calls have the name')
  })

  const PASSWORD = 'forty blue umbrellas'

  for (const javaScriptEnabled of [true, false]) {
    describeInBrowser(`password forms ${javaScriptEnabled ? 'with' : 'without'} scripts`, (chrome) => {
      const open = (path: string, { headers } = olga) =>
        chrome.open(app.panelUrl + path, { cookie: headers.Cookie!, javaScriptEnabled })
      const name = javaScriptEnabled ? 'Sofia' : 'Stefan'

      it(`the password of a new person is ${javaScriptEnabled ? 'kept in its field' : 'asked for again'} after another field’s error`, async () => {
        const page = await open('/people/new')
        await page.locator('#f-name').fill(name)
        await page.locator('#f-email').fill('x')
        const password = page.locator('#f-password')
        await password.fill(PASSWORD)
        const add = page.getByRole('button', { name: 'Add', exact: true })
        await add.click()
        await page.getByText('Must be an e-mail address.').waitFor()
        await page.waitForLoadState()
        expect(await password.inputValue()).to.equal(javaScriptEnabled ? PASSWORD : '')
        expect(await page.getByText('Enter the password again').count()).to.equal(javaScriptEnabled ? 0 : 1)
        expect(await page.content()).to.not.contain(PASSWORD)

        await page.locator('#f-email').fill(`${name}@example.com`)
        await password.fill('short')
        await add.click()
        const error = page.locator('#f-password-error')
        await error.getByText('Must have at least 8 characters.').waitFor()
        expect(await password.inputValue()).to.equal(javaScriptEnabled ? 'short' : '')
        expect(await password.getAttribute('aria-invalid')).to.equal('true')
        expect(await password.getAttribute('aria-describedby')).to.equal('f-password-hint f-password-error')

        await password.fill(PASSWORD)
        await add.click()
        await page.waitForURL('**/people')
        await page.getByText(`${name} added. They can log in now.`).waitFor()
        expect(await page.locator('#menu [aria-current=page]').innerText()).to.contain('People')
        chrome.ignoreErrors(/status of 400/)
      })

      it('a generated password is shown on the page of the new person', async () => {
        const page = await open('/people/new')
        await page.locator('#f-name').fill(`Fresh ${name}`)
        await page.locator('#f-email').fill(`fresh-${name}@example.com`)
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        await page.getByText(`Temporary password for Fresh ${name}.`).waitFor()
        if (javaScriptEnabled) expect(new URL(page.url()).pathname).to.match(/^\/people\/[\da-f-]{36}$/)
      })

      it('saving a person clears the password field and its error', async () => {
        const { id, email } = await personCalled(name)
        const page = await open(`/people/${id}`)
        const password = page.locator('#f-password')
        await password.fill('short')
        const save = page.getByRole('button', { name: 'Save', exact: true })
        await save.click()
        await page.locator('#f-password-error').waitFor()
        expect(await password.inputValue()).to.equal(javaScriptEnabled ? 'short' : '')
        await password.fill('fifty red umbrellas')
        await save.click()
        await page.getByText('Saved.', { exact: true }).waitFor()
        expect(await password.inputValue()).to.equal('')
        expect(await password.getAttribute('aria-invalid')).to.equal(null)
        expect(await password.getAttribute('aria-describedby')).to.equal('f-password-hint')
        const credentials = { email, password: 'fifty red umbrellas', next: '/' }
        expect((await app.browser().submit('/login', credentials)).status).to.equal(303)
        chrome.ignoreErrors(/status of 400/)
      })

      it('a rejected password change keeps the typed passwords only with scripts', async () => {
        const { text } = await add(`First ${name}`)
        const person = app.browser()
        const email = `first.${name.toLowerCase()}@example.com`
        await person.submit('/login', { email, password: shownPassword(text)!, next: '/' })
        const page = await open('/account', person)
        const [current, next] = [page.locator('#f-currentPassword'), page.locator('#f-newPassword')]
        await current.fill('not the one')
        await next.fill(PASSWORD)
        const change = page.getByRole('button', { name: 'Change password' })
        await change.click()
        await page.locator('#f-currentPassword-error').getByText('Is not your current password.').waitFor()
        const kept = [await current.inputValue(), await next.inputValue()]
        expect(kept).to.deep.equal(javaScriptEnabled ? ['not the one', PASSWORD] : ['', ''])
        expect(await current.getAttribute('aria-describedby')).to.equal('f-currentPassword-error')
        await current.fill(shownPassword(text)!)
        await next.fill(PASSWORD)
        await change.click()
        await page.waitForURL((url) => url.pathname !== '/account')
        await page.getByRole('link', { name: 'Calls' }).first().waitFor()
        expect(await page.locator('#menu [aria-current=page]').count()).to.equal(1)
        chrome.ignoreErrors(/status of 400/)
      })
    })
  }
})
