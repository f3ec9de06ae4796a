import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { insertCalls } from '../test/calls.ts'
import { describeInBrowser, reloadBrowserPage } from '../test/browser.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { SAMPLE_SEGMENTS } from './every-page.test.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

const PASSWORD = 'a sparrow on the roof'

for (const javaScriptEnabled of [true, false])
  describeInBrowser(`panel: user journeys ${javaScriptEnabled ? 'with' : 'without'} scripts`, (chrome) => {
    let app: TestPanel

    before(async () => {
      app = await startTestPanel()
    })
    after(() => app.stop())

    const open = (path: string, options = {}) => chrome.open(app.panelUrl + path, { javaScriptEnabled, ...options })
    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

    async function logIn(page: Page, email: string, password: string): Promise<void> {
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(password)
      await press(page, 'Log in')
    }

    async function openAs(
      path: string,
      email = OWNER_CREDENTIALS.email,
      password = OWNER_CREDENTIALS.password,
    ): Promise<Page> {
      const page = await open(path)
      await logIn(page, email, password)
      await page.waitForURL(app.panelUrl + path)
      return page
    }

    /** Reloads the page between checks if scripts are disabled, because only scripts refresh it. */
    async function refreshUntil(page: Page, text: string): Promise<void> {
      const locator = page.getByText(text).first()
      if (javaScriptEnabled) return locator.waitFor()
      while (!(await locator.isVisible())) await reloadBrowserPage(page)
    }

    it('an owner adds a department, a head and a manager, who see only their calls', async () => {
      const [annas, ottos] = await insertCalls(app, [
        { manager: 'Anna', phone: '+375291111111', text: 'Anna says hello' },
        { manager: 'Otto', phone: '+375292222222', text: 'Otto says hello' },
      ])
      const page = await openAs('/departments/new')
      await page.getByLabel('Name', { exact: true }).fill('Sales')
      await press(page, 'Add')
      await page.getByText('“Sales” added.').waitFor()
      for (const [name, role] of [
        ['Hanna', 'Head'],
        ['Anna', 'Manager'],
      ]) {
        await page.goto(`${app.panelUrl}/people`)
        await page.getByRole('link', { name: 'Add person' }).click()
        await page.getByLabel('Name', { exact: true }).fill(name!)
        await page.getByLabel('E-mail').fill(`${name}@example.com`)
        await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
        await page.getByLabel('Require a new password at next login').uncheck()
        await page.getByRole('radio', { name: role! }).check()
        await page.getByRole('checkbox', { name: 'Sales' }).check()
        await press(page, 'Add')
        await page.getByText(`${name} added. They can log in now.`).waitFor()
      }
      const rows = (page: Page) => page.locator('#list tbody tr').evaluateAll((rows) => rows.map(({ id }) => id))
      const menu = (page: Page) => page.locator('#menu nav a').allInnerTexts()
      expect(await rows(await openAs('/recordings'))).to.have.members([`r-${annas}`, `r-${ottos}`])
      for (const [name, sees, hides] of [
        ['Hanna', /People.*Departments/, /Queues|System|Audit/],
        ['Anna', /Calls/, /People|Departments|Queues|System|Audit|Statistics/],
      ] as const) {
        const personPage = await openAs('/recordings', `${name}@example.com`, PASSWORD)
        expect(await rows(personPage), name).to.deep.equal([`r-${annas}`])
        expect((await menu(personPage)).join(' '), name)
          .to.match(sees)
          .and.not.match(hides)
        await personPage.goto(`${app.panelUrl}/recordings/${ottos}`)
        expect(await personPage.locator('h1').innerText(), name).to.equal('Not found')
        await personPage.goto(`${app.panelUrl}/queues`)
        expect(await personPage.locator('h1').innerText(), name).to.equal('No access')
      }
      chrome.ignoreErrors(/status of 40[34]/)
    })

    it('an owner creates a key, which is shown once and works until it is revoked', async () => {
      const page = await openAs('/api-keys')
      await page.getByLabel('Name', { exact: true }).fill('CRM of the shop')
      await press(page, 'Create key')
      const key = await page.getByLabel('New key').inputValue()
      expect(key).to.match(/^svc_/)
      const status = async () => (await fetch(`${app.url}/v1/recordings`, { headers: { 'X-API-Key': key } })).status
      expect(await status()).to.equal(200)
      await page.goto(`${app.panelUrl}/api-keys`)
      const row = page.getByRole('row', { name: /CRM of the shop/ })
      await row.waitFor()
      expect(await page.content()).not.to.contain(key)
      await row.locator('summary').click()
      await row.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('“CRM of the shop” revoked.').waitFor()
      expect(await row.count()).to.equal(0)
      expect(await status()).to.equal(401)
    })

    it('an owner retries a failed call and sees its transcript', async () => {
      const { recognizer } = app
      recognizer.answer = (one) => one.fail('UNSUPPORTED_AUDIO', 'no sound')
      const id = await app.submitCall('FAILED')
      recognizer.answer = (one) => one.finish(SAMPLE_SEGMENTS)
      const page = await openAs(`/recordings/${id}`)
      await page.getByText('The file is damaged or has no audio.').first().waitFor()
      await press(page, 'Retry')
      await refreshUntil(page, SAMPLE_SEGMENTS[0]!.text)
      expect(await page.locator('h1 .badge').innerText()).to.equal('done')
      expect(await page.getByRole('button', { name: 'Retry', exact: true }).count()).to.equal(0)
      expect(new URL(page.url()).pathname).to.equal(`/recordings/${id}`)
      chrome.ignoreErrors(/status of 422/) // the stored file is not playable audio
    })

    it('an owner deletes selected calls of the list after a confirmation', async () => {
      const ids = await insertCalls(app, [{ manager: 'Gone' }, { manager: 'Gone' }, { manager: 'Gone' }])
      const page = await openAs('/recordings?manager=Gone')
      for (const id of ids.slice(0, 2)) await page.locator(`#r-${id} [name=id]`).check()
      const question = page.locator('.selection .menu.danger').filter({ hasText: 'Delete' })
      await question.locator('summary').click()
      await question.getByRole('button').click()
      await page.waitForLoadState()
      await page.locator(`#r-${ids[0]}`).waitFor({ state: 'detached' })
      expect(await page.locator('#list tbody tr').count()).to.equal(1)
      expect(page.url()).to.equal(`${app.panelUrl}/recordings?manager=Gone`)
    })

    it('after ten wrong passwords, the login rejects even the right one for a while', async () => {
      // The test uses its own client address, so that it does not throttle the logins of other tests.
      const page = await open('/login', { extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.7' } })
      const answer = async (password: string) => {
        const [response] = await Promise.all([
          page.waitForResponse((response) => response.request().method() === 'POST'),
          logIn(page, OWNER_CREDENTIALS.email, password),
        ])
        await page.getByRole('alert').waitFor()
        return [response.status(), await page.getByRole('alert').innerText()]
      }
      for (let n = 1; n <= 10; n++)
        expect(await answer(`wrong ${n}`)).to.deep.equal([401, 'The e-mail or password is wrong.'])
      for (const password of ['wrong 11', OWNER_CREDENTIALS.password]) {
        const [status, text] = await answer(password)
        expect(status).to.equal(429)
        expect(text).to.match(/^Too many failed logins\. Try again in \d+ seconds?\.$/)
        expect(await page.getByLabel('E-mail').inputValue()).to.equal(OWNER_CREDENTIALS.email)
      }
      chrome.ignoreErrors(/status of (401|429)/)
    })
  })
