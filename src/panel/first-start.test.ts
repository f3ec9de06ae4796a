import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, reloadBrowserPage } from '../test/browser.ts'
import { OWNER_CREDENTIALS } from '../test/server.ts'
import { waitUntil } from '../test/wait.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

/** These tests use the real recognizer and start with an empty system. */
for (const javaScriptEnabled of [true, false])
  describeInBrowser(`panel: first call ${javaScriptEnabled ? 'with' : 'without'} scripts`, (chrome) => {
    let app: TestPanel
    let page: Page

    before(async () => {
      app = await startTestPanel({ asrUrl: process.env.TEST_ASR_URL! })
    })
    after(() => app.stop())

    const sound = () =>
      page.evaluate<{ now: number; paused: boolean }>(
        `(({ currentTime, paused }) => ({ now: currentTime, paused }))(document.getElementById('sound'))`,
      )
    /** Waits until the player is between two positions. Later polls allow a later position, because playback continues meanwhile. */
    const plays = (from: number, to: number) => {
      const began = performance.now()
      return waitUntil(`it plays between ${from} and ${to} s`, async () => {
        const { now, paused } = await sound()
        return !paused && now > from && now < to + (performance.now() - began) / 1000
      })
    }

    async function logIn(path: string): Promise<void> {
      page = await chrome.open(app.panelUrl + path, { javaScriptEnabled })
      await page.getByLabel('E-mail').fill(OWNER_CREDENTIALS.email)
      await page.getByLabel('Password').fill(OWNER_CREDENTIALS.password)
      await page.getByRole('button', { name: 'Log in' }).click()
    }

    it('an owner uploads the first call, reads its transcript and plays it', async () => {
      await logIn('/')
      await page.locator('main').getByRole('link', { name: 'Upload' }).first().click()
      await page.waitForURL('**/upload')
      await page.getByLabel('Files').setInputFiles('samples/call.wav')
      await page.getByLabel('Manager').first().fill('Anna') // each chosen file has its own field
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('link', { name: 'Open', exact: true }).click()
      const words = page.locator('.lines:not(.so-far) .text', { hasText: /delivery/i }).first()
      if (!javaScriptEnabled) {
        const { pathname } = new URL(page.url())
        await waitUntil('it is done', async () => (await app.ida.get(`/v1${pathname}`)).json.status === 'DONE')
        await reloadBrowserPage(page)
      }
      await words.waitFor()
      expect(await page.locator('h1 .badge').innerText()).to.equal('done')
      if (javaScriptEnabled) await page.getByRole('button', { name: 'Play', exact: true }).click()
      else await page.evaluate(`document.getElementById('sound').play()`) // the buttons of the browser's player have no accessible names
      const { now } = await plays(0.2, 17).then(sound)
      await plays(now + 0.2, 17.5)
    })

    it('an owner finds a call by a spoken word and plays that moment', async () => {
      await logIn('/recordings')
      await page.getByRole('searchbox').first().fill('delivery')
      await page.keyboard.press('Enter')
      await page.locator('#list mark').first().waitFor()
      expect(await page.locator('#list tbody tr').count()).to.equal(1)
      await page.locator('#list tbody a').first().click()
      const mark = page.locator('.lines mark').first()
      await mark.waitFor()
      await page.waitForLoadState() // clicks have no effect before the scripts have run
      const row = page.locator('.lines li:has(mark)').first()
      const start = Number(await page.locator('.lines [data-start]:has(mark)').first().getAttribute('data-start'))
      if (javaScriptEnabled) {
        await mark.click()
        await plays(start, start + 4)
      } else {
        const at = await row.locator('a.at').getAttribute('href')
        expect(at)
          .to.match(/\/playback#t=/)
          .and.to.contain(String(start))
        const answer = await page.request.get(app.panelUrl + at!.split('#')[0]!, { headers: { Range: 'bytes=0-99' } })
        expect([answer.status(), answer.headers()['content-type']]).to.deep.equal([206, 'audio/wav'])
      }
    })
  })
