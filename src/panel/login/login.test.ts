import { expect } from 'chai'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { startTestPanelServer, startTestPanel, type TestPanel } from '../../test/panel.ts'

describe('panel: login', () => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ LOGIN_MAX_FAILURES: 3 })
  })
  after(() => app.stop())

  it('the login page opens with or without a session', async () => {
    for (const browser of [app.browser(), await app.openOwnerBrowser()]) {
      const { status, text } = await browser.open('/login')
      expect(status).to.equal(200)
      expect(text).to.contain('name="password"')
    }
  })

  it('a login sets the session cookie of the API and opens the home page', async () => {
    const browser = app.browser()
    const answer = await browser.logIn()
    expect(answer.status).to.equal(303)
    expect(answer.headers.get('location')).to.equal('/')
    expect(answer.headers.get('set-cookie')).to.match(/^svc_session=.+HttpOnly; SameSite=Lax/)
    expect((await browser.open('/')).status).to.equal(200)
    expect((await browser.open('/recordings')).status).to.equal(200)
  })

  it('a page without a session redirects to the login, which leads back to it', async () => {
    const browser = app.browser()
    const refused = await browser.open('/recordings?page=2&order=asc')
    expect(refused.status).to.equal(303)
    expect(refused.headers.get('location')).to.equal('/login?next=%2Frecordings%3Fpage%3D2%26order%3Dasc')
    const form = await browser.open(refused.headers.get('location')!)
    expect(form.text).to.contain('value="/recordings?page=2&amp;order=asc"')
    const answer = await browser.submit('/login', { ...OWNER_CREDENTIALS, next: '/recordings?page=2&order=asc' })
    expect(answer.headers.get('location')).to.equal('/recordings?page=2&order=asc')
  })

  it('a login redirects only to pages of the panel', async () => {
    const foreign = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      'javascript:alert(1)',
      'recordings',
      '',
      '/login?next=/',
      '/logout',
    ]
    for (const next of foreign) {
      expect(parseLocalPath(next), JSON.stringify(next)).to.equal('/')
      const answer = await app.browser().submit('/login', { ...OWNER_CREDENTIALS, next })
      expect(answer.headers.get('location'), JSON.stringify(next)).to.equal('/')
    }
    expect(parseLocalPath('/recordings/1?x=//evil.example')).to.equal('/recordings/1?x=//evil.example')
    expect(parseLocalPath(undefined)).to.equal('/')
  })

  it('a wrong password shows an error and keeps the e-mail', async () => {
    const email = '"><script>alert(1)</script>@example.com'
    const browser = app.browser({ 'X-Forwarded-For': '192.0.2.1' })
    const { status, text } = await browser.submit('/login', { email, password: 'wrong', next: '/recordings' })
    expect(status).to.equal(401)
    expect(text).to.contain('The e-mail or password is wrong.')
    expect(text).to.contain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@example.com"')
    expect(text).to.contain('value="/recordings"')
    expect(text).not.to.contain('<script>alert')
    expect(text).not.to.contain('wrong"')
  })

  it('a language chosen before the login stays in the browser after it', async () => {
    const browser = app.browser({ 'Accept-Language': 'en' })
    expect((await browser.open('/login?next=/upload')).text).to.contain('lang="ru" title="По-русски">RU<')
    const switched = await browser.submit('/language', { language: 'ru', next: '/upload' })
    expect(switched.headers.get('location')).to.equal('/login?next=%2Fupload')
    expect((await browser.open('/login')).text)
      .to.contain('<h1>Вход</h1>')
      .and.contain('title="In English">EN<')
    await browser.logIn()
    expect((await browser.open('/account')).text).to.contain('<html lang="ru">')
    const back = await browser.submit('/language', { language: 'en', next: '/account' })
    expect(back.headers.get('location')).to.equal('/account')
    expect((await browser.open('/account', { 'Accept-Language': 'ru' })).text).to.contain('<html lang="en">')
    expect((await app.olga.get('/v1/auth/me')).json.person.language).to.equal('en')
    await app.olga.patch('/v1/auth/me', { language: null })
    const foreign = await browser.submit('/language', { language: 'xx', next: '//evil.example' })
    expect(foreign.headers.get('location')).to.equal('/')
    await app.olga.patch('/v1/auth/me', { language: null })
  })

  it('the login explains that the browser sends two different sessions', async () => {
    const cookies = [await app.openOwnerBrowser(), await app.openOwnerBrowser()].map(({ headers }) => headers.Cookie!)
    for (const [language, expectedText] of [
      ['en', 'The browser sends two different sessions.'],
      ['ru', 'Браузер отправляет два разных сеанса.'],
    ] as const) {
      const headers = { Cookie: cookies.join('; '), 'Accept-Language': language }
      const { status, text } = await app.browser(headers).submit('/login', { ...OWNER_CREDENTIALS, next: '/' })
      expect(status).to.equal(401)
      expect(text).to.contain(expectedText)
    }
  })

  it('a login without a password gets 400', async () => {
    const { status, text } = await app.browser().submit('/login', { email: 'a@example.com' })
    expect(status).to.equal(400)
    expect(text).to.contain('Enter your e-mail and password.')
  })

  it('failed logins count by the browser’s real address, despite forged headers', async () => {
    const clumsy = { 'X-Forwarded-For': '198.51.100.7' }
    const browser = app.browser()
    for (let i = 0; i < 3; i++) expect((await browser.logIn('wrong', clumsy)).status).to.equal(401)
    const refused = await browser.logIn('wrong', { 'X-Forwarded-For': '203.0.113.99, 198.51.100.7' })
    expect(refused.status).to.equal(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).to.be.within(1, 300)
    expect(refused.text).to.contain(`Try again in ${seconds} seconds.`)
    expect((await browser.logIn(OWNER_CREDENTIALS.password, { 'X-Forwarded-For': '198.51.100.8' })).status).to.equal(
      303,
    )
  })

  it('if the API is down, the login says so and keeps the e-mail', async () => {
    const panel = await startTestPanelServer(app.config, 'http://127.0.0.1:9')
    try {
      const body = new URLSearchParams({ ...OWNER_CREDENTIALS, next: '/' })
      const response = await fetch(`${panel.url}/login`, { method: 'POST', body, redirect: 'manual' })
      expect(response.status).to.equal(503)
      const text = await response.text()
      expect(text).to.contain('The service is not responding.')
      expect(text).to.contain(`value="${OWNER_CREDENTIALS.email}"`)
      expect((await fetch(`${panel.url}/login`)).status).to.equal(200)
    } finally {
      await panel.stop()
    }
  })

  it('over plain HTTP, the login explains that the browser drops its secure cookie', async () => {
    const secure = await startTestPanel({ COOKIE_SECURE: true })
    try {
      const plain = { 'Sec-Fetch-Site': '', Origin: 'http://panel.example', 'X-Forwarded-Host': 'panel.example' }
      const { status, text, headers } = await secure.browser().logIn(OWNER_CREDENTIALS.password, plain)
      expect(status).to.equal(200)
      expect(text).to.contain('COOKIE_SECURE=false')
      expect(headers.get('set-cookie')).to.equal(null)
      expect((await secure.browser().logIn()).status).to.equal(303)
    } finally {
      await secure.stop()
    }
  })

  it('a logout ends the session', async () => {
    const browser = await app.openOwnerBrowser()
    const cookie = browser.headers.Cookie!
    const answer = await browser.submit('/logout')
    expect(answer.headers.get('location')).to.equal('/login')
    expect(answer.headers.get('set-cookie')).to.match(/^svc_session=;.*Max-Age=0/)
    const { headers } = await app.browser({ Cookie: cookie }).open('/recordings')
    expect(headers.get('location')).to.equal('/login?next=%2Frecordings')
  })

  it('a GET request to /logout gets 405', async () => {
    const browser = await app.openOwnerBrowser()
    const { status, headers } = await browser.open('/logout')
    expect(status).to.equal(405)
    expect(headers.get('allow')).to.equal('POST')
    expect((await browser.open('/recordings')).status).to.equal(200)
  })
})
