import { expect } from 'chai'
import { createTestPeople } from '../../test/people.ts'
import { TestClient } from '../../test/client.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const HOSTILE_NAME = `"><img src=x onerror=alert(1)> ‮хук {{7*7}} <%= 1 %>`
const ESCAPED_NAME = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt; ‮хук {{7*7}} &lt;%= 1 %&gt;'

describe('panel: API keys', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ LOGIN_MAX_FAILURES: 1000 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  const keyOf = (text: string) => /id="new-key" readonly value="(svc_[\w-]+)"/.exec(text)?.[1]

  it('an owner creates a working key, which is shown once', async () => {
    const { status, text } = await olga.submit('/api-keys', { name: '  Telephony ' })
    expect(status).to.equal(200)
    const key = keyOf(text)!
    expect(text).to.contain('“Telephony” created.').and.contain('It will not be shown again')
    expect(text).to.contain(`<code>${key.slice(0, 10)}…</code>`)
    const client = new TestClient(() => app.url, { 'X-API-Key': key })
    expect((await client.get('/v1/recordings')).status).to.equal(200)
    expect((await olga.open('/api-keys')).text).to.not.contain(key)
    expect((await olga.open('/audit')).text).to.not.contain(key)
  })

  it('an invalid name is kept with an error beside it', async () => {
    const empty = await olga.submit('/api-keys', { name: ' ' })
    expect(empty.status).to.equal(400)
    expect(empty.text).to.match(/id="f-name-error">Must not be empty\.</)
    const long = await olga.submit('/api-keys', { name: 'x'.repeat(101) })
    expect(long.text)
      .to.match(/id="f-name-error">Must have at most 100 characters\.</)
      .and.contain(`value="${'x'.repeat(101)}"`)
    expect(keyOf(long.text)).to.equal(undefined)
  })

  it('an owner sees the last use of a key and revokes it', async () => {
    const name = HOSTILE_NAME.slice(0, 100)
    const made = await olga.submit('/api-keys', { name })
    const key = keyOf(made.text)!
    expect(made.text).to.contain(`<bdi>${ESCAPED_NAME}</bdi>`).and.not.contain('<img src=x')
    const { items } = (await app.olga.get('/v1/api-keys')).json
    const { id } = items.find((item: { name: string }) => item.name === name)
    const row = () => new RegExp(`<tr id="k-${id}">([^]*?)</tr>`)
    const before = row().exec((await olga.open('/api-keys')).text)![1]!
    expect(before).to.contain('never').and.contain(`action="/api-keys/${id}/revoke"`).and.contain('Revoke key')
    await app.db.query('UPDATE api_keys SET last_used_at = now() WHERE id = $1', [id])
    expect(row().exec((await olga.open('/api-keys')).text)![1]).to.not.contain('never')
    const answer = await olga.submit(`/api-keys/${id}/revoke`, { name })
    expect(answer.headers.get('location')).to.equal('/api-keys')
    const client = new TestClient(() => app.url, { 'X-API-Key': key })
    expect((await client.get('/v1/recordings')).status).to.equal(401)
    const after = (await olga.open('/api-keys', { Cookie: buildNoticeCookie(olga, answer.headers) })).text
    expect(after).to.contain(`“${ESCAPED_NAME}” revoked.`)
    expect(after).to.not.match(row())
    const again = await olga.submit(`/api-keys/${id}/revoke`, { name })
    expect((await olga.open('/api-keys', { Cookie: buildNoticeCookie(olga, again.headers) })).text).to.contain(
      'already been revoked',
    )
  })

  describeInBrowser('in a browser', (chrome) => {
    it('a repeated click or Enter creates only one key', async () => {
      const page = await chrome.open(`${app.panelUrl}/api-keys`, { cookie: olga.headers.Cookie })
      const made = async (name: string) =>
        (await app.olga.get('/v1/api-keys')).json.items.filter((item: { name: string }) => item.name === name).length
      await page.fill('#f-name', 'Entered twice')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await page.locator('td', { hasText: 'Entered twice' }).first().waitFor()
      await page.fill('#f-name', 'Clicked twice')
      await page.locator('#keys button.primary, form[action="/api-keys"] button').first().dblclick()
      await page.locator('td', { hasText: 'Clicked twice' }).first().waitFor()
      expect([await made('Entered twice'), await made('Clicked twice')]).to.deep.equal([1, 1])
    })
  })

  it('only owners can open API keys and see its menu item', async () => {
    await createTestPeople(app)
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    expect((await max.open('/api-keys')).status).to.equal(403)
    expect((await max.submit('/api-keys', { name: 'x' })).status).to.equal(403)
    expect((await max.open('/recordings')).text).to.not.contain('href="/api-keys"')
    expect((await olga.open('/recordings')).text).to.contain('href="/api-keys"')
  })

  it('the page of API keys is in Russian for a Russian browser', async () => {
    const { text } = await olga.open('/api-keys', { 'Accept-Language': 'ru' })
    expect(text).to.contain('<h1>Ключи API</h1>').and.contain('Создать ключ')
  })
})

/** Combines the session cookie with the notice cookie that a redirect has set. */
function buildNoticeCookie(browser: PanelBrowser, headers: Headers): string {
  const notice = headers.getSetCookie().find((cookie) => cookie.startsWith('panel_notice='))!
  return `${browser.headers.Cookie}; ${notice.split(';')[0]}`
}
