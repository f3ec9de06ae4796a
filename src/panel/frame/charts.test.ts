import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { startTestPanel, type TestPanel } from '../start-panel.test.ts'

describeInBrowser('panel: charts', (chrome) => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('show what a bar is worth to the keyboard as to the mouse, and stop Tab but once', async () => {
    const cookie = (await app.olgasBrowser()).headers.Cookie!
    const page = await chrome.open(`${app.panelUrl}/statistics?from=2026-03-01&to=2026-03-03`, {
      cookie,
      javaScriptEnabled: true,
    })
    const bars = page.locator('.places').first().locator('> *')
    const shown = async () => Promise.all([0, 1, 2].map((n) => bars.nth(n).locator('.tip').isVisible()))
    expect(await shown()).to.deep.equal([false, false, false])
    await bars.nth(1).hover()
    expect(await shown()).to.deep.equal([false, true, false])
    await page.mouse.move(0, 0)
    for (let n = 0; n < 80 && !(await page.evaluate(`document.activeElement.closest('.places') !== null`)); n++) {
      await page.keyboard.press('Tab')
    }
    expect(await shown()).to.deep.equal([true, false, false])
    await page.keyboard.press('ArrowRight')
    expect(await shown()).to.deep.equal([false, true, false])
    await page.keyboard.press('Tab')
    expect(await shown(), 'the next chart').to.deep.equal([false, false, false])
  })
})
