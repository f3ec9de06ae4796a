import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../test/browser.ts'
import { until } from '../test/wait.ts'
import { startPanelWorld, type PanelWorld } from './world.test.ts'

describeInBrowser('panel: a slow network', (chrome) => {
  let world: PanelWorld
  let cookie: string
  before(async () => {
    world = await startPanelWorld({ API_RUN_MODE: 'api' })
    cookie = (await world.olgasBrowser()).headers.Cookie!
  })
  after(() => world.stop())

  const isBusy = (page: Page) => page.evaluate<boolean>(`document.documentElement.hasAttribute('data-busy')`)

  /** Holds answers to addresses with this text back until it is told to let them go. */
  async function hold(page: Page, part: string): Promise<() => void> {
    let release = () => undefined as void
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(`**${part}*`, async (route) => {
      await released
      await route.continue()
    })
    return release
  }

  it('a click that waits for its answer is shown by a bar, until the answer is there', async () => {
    const page = await chrome.open(`${world.panelUrl}/audit`, { cookie })
    expect(await isBusy(page)).to.equal(false)
    const release = await hold(page, 'kind=reads')
    await page.getByRole('link', { name: 'Reads', exact: true }).click()
    await until('the bar is there', () => isBusy(page))
    const height = await page.evaluate(`getComputedStyle(document.documentElement, '::before').height`)
    expect(height).to.equal('2px')
    release()
    await page.locator('.tabs [aria-current]', { hasText: 'Reads' }).waitFor()
    await until('the bar is gone', async () => !(await isBusy(page)))
  })

  it('so is a link to another page', async () => {
    const page = await chrome.open(`${world.panelUrl}/audit`, { cookie })
    const release = await hold(page, '/people')
    // Not by playwright's click: it waits until the answer that is held back here is there.
    await page.evaluate(`document.querySelector('a[href="/people"]').click()`)
    await until('the bar is there', () => isBusy(page))
    release()
    await page.waitForURL('**/people')
    expect(await isBusy(page)).to.equal(false)
  })
})
