import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { waitUntil } from '../test/wait.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

describeInBrowser('panel: slow network', (chrome) => {
  let app: TestPanel
  let cookie: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
  })
  after(() => app.stop())

  /** Returns the height of the progress bar and the opacity of the list. */
  const LOOKS = `[
    getComputedStyle(document.documentElement, '::before').height,
    getComputedStyle(document.querySelector('main table')).opacity,
  ]`
  const looks = (page: Page) => page.evaluate<string[]>(LOOKS)

  /**
   * Holds responses back until the page shows that it waits. @param part text in the delayed addresses @returns the appearance of
   * the page at that time
   */
  async function holdResponsesUntilBusy(page: Page, part: string): Promise<{ looks: Promise<string[]> }> {
    let tell: (looks: string[]) => void
    const looks = new Promise<string[]>((resolve) => (tell = resolve))
    await page.exposeFunction('showsThatItWaits', (looks: string[]) => tell(looks))
    await page.evaluate(`new MutationObserver(() => {
      if (document.documentElement.hasAttribute('data-busy')) showsThatItWaits(${LOOKS})
    }).observe(document.documentElement, { attributes: true })`)
    await page.route(`**${part}*`, async (route) => {
      await looks
      await route.continue()
    })
    return { looks }
  }
  const isBusy = (page: Page) => page.evaluate<boolean>(`document.documentElement.hasAttribute('data-busy')`)

  it('a progress bar and a dimmed list show a pending click until its response', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    expect(await isBusy(page)).to.equal(false)
    expect(await looks(page)).to.deep.equal(['auto', '1'])
    const busy = await holdResponsesUntilBusy(page, 'kind=reads')
    await page.getByRole('link', { name: 'Reads', exact: true }).click()
    expect(await busy.looks).to.deep.equal(['2px', '0.6'])
    await page.locator('.tabs [aria-current]', { hasText: 'Reads' }).waitFor()
    await waitUntil('the bar is gone', async () => !(await isBusy(page)))
    expect(await looks(page)).to.deep.equal(['auto', '1'])
  })

  it('a progress bar shows a pending link to another page', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    const busy = await holdResponsesUntilBusy(page, '/people')
    await page.getByRole('link', { name: 'People', exact: true }).click()
    expect(await busy.looks).to.deep.equal(['2px', '0.6'])
    await page.waitForURL('**/people')
    expect(await isBusy(page)).to.equal(false)
  })

  it('a response within 150 ms shows no progress bar', async () => {
    const page = await chrome.open(`${app.panelUrl}/audit`, { cookie })
    await page.clock.install()
    let answer!: () => void
    const requestArrived = new Promise<void>((tell) => {
      void page.route('**kind=reads*', (route) => {
        answer = () => void route.continue()
        tell()
      })
    })
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.getByRole('link', { name: 'Reads', exact: true }).click()
    await requestArrived
    await page.clock.runFor(149)
    expect(await isBusy(page)).to.equal(false)
    await page.clock.runFor(1)
    expect(await isBusy(page)).to.equal(true)
    await page.clock.resume()
    answer()
    await waitUntil('the bar is gone', async () => !(await isBusy(page)))
  })
})
