import { expect } from 'chai'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { parseUserAgent } from './user-agent.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

describe('panel: account page', () => {
  let app: TestPanel
  let cast: TestPeople
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 1000 })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  async function logInAsMax(
    headers: Record<string, string> = {},
    password = OWNER_CREDENTIALS.password,
  ): Promise<PanelBrowser> {
    const browser = app.browser(headers)
    const { status } = await browser.submit('/login', { email: 'max@example.com', password, next: '/' })
    expect(status).to.equal(303)
    return browser
  }
  const rows = (text: string) =>
    [...text.matchAll(/<tr id="s-([\w-]+)">([^]*?)<\/tr>/g)].map(([, id, row]) => ({
      id: id!,
      text: row!.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    }))
  const isIn = async (browser: PanelBrowser) => (await browser.open('/recordings')).status === 200
  const errorOf = (text: string, name: string) => new RegExp(`id="f-${name}-error">([^<]*)<`).exec(text)?.[1]

  it('the account page shows e-mail, role and departments, linked from the menu', async () => {
    const { status, text } = await (await logInAsMax()).open('/account')
    expect(status).to.equal(200)
    expect(text)
      .to.contain('<bdi>max@example.com</bdi>')
      .and.contain('<bdi>manager</bdi>')
      .and.contain('<bdi>Sales</bdi>')
    expect(text).to.contain('<a href="/account" aria-current="page"')
  })

  describe('language', () => {
    it('a chosen language overrides the browser until the person resets it', async () => {
      const browser = await logInAsMax({ 'Accept-Language': 'en' })
      const answer = await browser.submit('/account/language', { language: 'ru' })
      expect(answer.headers.get('location')).to.equal('/account')
      expect(decodeURIComponent(answer.headers.getSetCookie().join())).to.contain('Язык сохранён.')
      const page = async () => (await browser.open('/account')).text
      expect(await page())
        .to.contain('<html lang="ru">')
        .and.contain('<option value="ru" selected>')
      await browser.submit('/account/language', { language: '' })
      expect(await page())
        .to.contain('<html lang="en">')
        .and.contain('<option value="" selected>')
    })

    it('an unknown language gets 400', async () => {
      expect((await (await logInAsMax()).submit('/account/language', { language: 'de' })).status).to.equal(400)
    })
  })

  describe('password', () => {
    const change = (browser: PanelBrowser, currentPassword: string, newPassword: string, headers = {}) =>
      browser.submit('/account/password', { currentPassword, newPassword }, headers)

    it('a rejected password change shows errors beside the fields and no password', async () => {
      const browser = await logInAsMax({ 'Accept-Language': 'en' })
      const response = await change(browser, 'not my password', 'a new long password')
      expect(response.status).to.equal(400)
      expect(errorOf(response.text, 'currentPassword')).to.equal('Is not your current password.')
      expect(response.text).to.not.contain('not my password').and.not.contain('a new long password')
      const short = await change(browser, OWNER_CREDENTIALS.password, 'short')
      expect(errorOf(short.text, 'newPassword')).to.equal('Must have at least 8 characters.')
      expect(errorOf((await change(browser, '', '')).text, 'currentPassword')).to.equal('Must not be empty.')
    })

    it('a password change ends other sessions and keeps the current one', async () => {
      const [one, two] = [await logInAsMax(), await logInAsMax()]
      const answer = await change(one, OWNER_CREDENTIALS.password, 'a new long password')
      expect(answer.headers.get('location')).to.equal('/account')
      expect([await isIn(one), await isIn(two)]).to.deep.equal([true, false])
      expect(await isIn(await logInAsMax({}, 'a new long password'))).to.equal(true)
      await change(one, 'a new long password', OWNER_CREDENTIALS.password)
    })

    it('a common password is accepted with a warning', async () => {
      const browser = await logInAsMax()
      expect((await change(browser, OWNER_CREDENTIALS.password, 'password123')).status).to.equal(303)
      expect((await browser.open('/account', { 'Accept-Language': 'ru' })).text).to.match(
        /самых частых паролей|among the most common/,
      )
      await change(browser, 'password123', OWNER_CREDENTIALS.password)
    })

    it('too many wrong passwords get 429 with the waiting time above the form', async () => {
      const strict = await startTestPanel({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 2 })
      try {
        const browser = await strict.openOwnerBrowser()
        for (let n = 0; n < 2; n++) expect((await change(browser, 'wrong', 'a new long password')).status).to.equal(400)
        const { status, text, headers } = await change(browser, OWNER_CREDENTIALS.password, 'a new long password')
        expect(status).to.equal(429)
        const seconds = Number(headers.get('retry-after'))
        expect(seconds).to.be.within(1, 300)
        expect(text).to.contain(`Too many wrong passwords. Try again in ${seconds} second`)
      } finally {
        await strict.stop()
      }
    })
  })

  describe('sessions', () => {
    it('the list of sessions shows browser and address; the current one cannot be ended', async () => {
      await app.db.query('DELETE FROM sessions WHERE person_id = $1', [cast.max.id])
      const one = await logInAsMax({ 'User-Agent': FIREFOX, 'X-Forwarded-For': '198.51.100.1' })
      await logInAsMax({ 'User-Agent': IPHONE, 'X-Forwarded-For': '198.51.100.2' })
      const { text } = await one.open('/account')
      const [first, second] = rows(text)
      expect(first!.text).to.contain('Firefox on Linux').and.contain('current').and.contain('198.51.100.1')
      expect(second!.text).to.contain('Safari on iPhone').and.contain('198.51.100.2').and.contain('End')
      expect(text).to.not.contain(`/account/sessions/${first!.id}/end`)
    })

    it('a person can end one session, or all except the current one', async () => {
      await app.db.query('DELETE FROM sessions WHERE person_id = $1', [cast.max.id])
      const browsers = [await logInAsMax(), await logInAsMax(), await logInAsMax()] as const
      const otherRows = rows((await browsers[0].open('/account')).text).slice(1)
      const answer = await browsers[0].submit(`/account/sessions/${otherRows[0]!.id}/end`)
      expect(answer.headers.get('location')).to.equal('/account')
      expect((await Promise.all(browsers.map(isIn))).filter(Boolean)).to.have.length(2)
      const again = await browsers[0].submit(`/account/sessions/${otherRows[0]!.id}/end`)
      expect(decodeURIComponent(again.headers.getSetCookie().join())).to.contain('This session has already ended.')
      await browsers[0].submit('/account/sessions/end')
      expect(await Promise.all(browsers.map(isIn))).to.deep.equal([true, false, false])
      expect((await browsers[0].open('/account')).text).to.not.contain('End other sessions')
    })

    it('a hostile User-Agent is shown as text', async () => {
      await app.db.query('DELETE FROM sessions WHERE person_id = $1', [cast.max.id])
      const { text } = await (await logInAsMax({ 'User-Agent': '"><script>alert(1)</script>' })).open('/account')
      expect(text).to.contain('&lt;script&gt;alert(1)').and.not.contain('<script>alert')
    })

    it('common browsers and systems are recognized by their User-Agent', () => {
      const edge =
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0'
      const android = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
      expect(parseUserAgent(FIREFOX)).to.deep.equal({ browser: 'Firefox', system: 'Linux' })
      expect(parseUserAgent(IPHONE)).to.deep.equal({ browser: 'Safari', system: 'iPhone' })
      expect(parseUserAgent(edge)).to.deep.equal({ browser: 'Edge', system: 'Windows' })
      expect(parseUserAgent(android)).to.deep.equal({ browser: 'Chrome', system: 'Android' })
      expect(parseUserAgent('curl/8')).to.deep.equal({})
    })
  })
})
