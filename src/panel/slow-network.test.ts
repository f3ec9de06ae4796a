import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { until } from '../test/wait.ts'
import { startTestPanel, type TestPanel } from './start-panel.test.ts'

describeInBrowser('panel: a slow network', (chrome) => {
  let app: TestPanel
  let cookie: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cookie = (await app.olgasBrowser()).headers.Cookie!
  })
  after(() => app.stop())

  /** Answers to addresses with this text are held back until the page shows that it waits. */
  async function answerOnceBusy(page: Page, part: string): Promise<void> {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.exposeFunction('showsThatItWaits', () => release())
    await page.evaluate(`new MutationObserver(() => {
      const bar = getComputedStyle(document.documentElement, '::before')
      if (document.documentElement.hasAttribute('data-busy') && bar.height === '2px') showsThatItWaits()
    }).observe(document.documentElement, { attributes: true })`)
    await page.route(`**${part}*`, async (route) => {
      await released
      await route.continue()
    })
  }
  const isBusy = (page: Page) => page.evaluate<boolean>(`document.documentElement.hasAttribute('data-busy')`)

  it('a click that waits for its answer is shown by a bar, until the answer is there', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    expect(await isBusy(page)).to.equal(false)
    await answerOnceBusy(page, 'kind=reads')
    await page.getByRole('link', { name: 'Reads', exact: true }).click()
    await page.locator('.tabs [aria-current]', { hasText: 'Reads' }).waitFor()
    await until('the bar is gone', async () => !(await isBusy(page)))
  })

  it('so is a link to another page', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    await answerOnceBusy(page, '/people')
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.waitForURL('**/people')
    expect(await isBusy(page)).to.equal(false)
  })
})
