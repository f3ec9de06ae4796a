import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCheckedCalls } from '../../test/checked-calls.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

/** Widths of A4 between margins of 14 mm, in CSS pixels. */
const PAPER = { upright: 688, landscape: 1017 }
const RULES = 'client-name contact greeting introduction needs next-step objection-handled price value'.split(' ')

describeInBrowser('panel: printed heat map', (chrome) => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    const calls = Array.from({ length: 24 }, (_, n) => ({
      at: `2026-03-${String(1 + n).padStart(2, '0')}T10:00:00Z`,
      manager: ['Константин Александров', 'Вероника Добровольская'][n % 2]!,
      score: 60,
      verdicts: Object.fromEntries(RULES.map((rule) => [rule, n % 3 === 0 ? ('missed' as const) : ('met' as const)])),
    }))
    await insertCheckedCalls(app, calls)
  })
  after(() => app.stop())

  it('the printed heat map fits A4 paper, upright and landscape', async () => {
    const { Cookie } = (await app.openOwnerBrowser()).headers
    const address = `${app.panelUrl}/analytics/quality?from=2026-03-01&to=2026-03-31`
    const page = await chrome.open(address, { cookie: Cookie!, locale: 'ru-RU' })
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.heat thead th').count()).to.equal(3 + RULES.length)
    for (const width of Object.values(PAPER)) {
      await page.setViewportSize({ width, height: 700 })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width)
    }
  })
})
