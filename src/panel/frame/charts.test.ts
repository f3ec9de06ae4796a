import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { createPanelLanguages } from '../words.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { drawChart } from './charts.ts'

describeInBrowser('panel: charts in a browser', (chrome) => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('a chart shows bar values by mouse and keyboard, with one tab stop', async () => {
    const cookie = (await app.openOwnerBrowser()).headers.Cookie!
    const page = await chrome.open(`${app.panelUrl}/analytics/load?from=2026-03-01&to=2026-03-03`, {
      cookie,
      javaScriptEnabled: true,
    })
    const bars = page.locator('.points').first().locator('> *')
    const shown = async () => Promise.all([0, 1, 2].map((n) => bars.nth(n).locator('.tip').isVisible()))
    expect(await shown()).to.deep.equal([false, false, false])
    await bars.nth(1).hover()
    expect(await shown()).to.deep.equal([false, true, false])
    await page.mouse.move(0, 0)
    for (let n = 0; n < 80 && !(await page.evaluate(`document.activeElement.closest('.points') !== null`)); n++) {
      await page.keyboard.press('Tab')
    }
    expect(await shown()).to.deep.equal([true, false, false])
    await page.keyboard.press('ArrowRight')
    expect(await shown()).to.deep.equal([false, true, false])
    await page.keyboard.press('Tab')
    expect(await shown(), 'the next chart').to.deep.equal([false, false, false])
  })
})

describe('panel: bars and marks of charts', () => {
  const [en] = createPanelLanguages('UTC')
  const chart = {
    title: 'Scores',
    bars: [{ name: 'first' }, { name: 'second', change: 'new rules' }],
    series: [{ kind: 'done', name: 'Score', values: [40, 0] }],
    shown: String,
    ceiling: () => 100,
  }

  it('a change is a line before its bar, named in legend and bar text', () => {
    const { changes, legend, points } = drawChart(chart, en!)
    expect(changes).to.equal('M10 0v100')
    expect(legend).to.deep.equal([{ kind: 'change', name: 'new rules' }])
    expect(points.map(({ text }) => text)).to.deep.equal(['first: Score 40', 'second: Score 0, new rules'])
  })

  it('the legend explains stripes only if a bar has an incomplete period', () => {
    const [bar] = chart.bars
    const { legend } = drawChart({ ...chart, bars: [bar!, { name: 'second', isOpen: true }] }, en!)
    expect(legend).to.deep.equal([{ kind: 'open', name: 'striped: incomplete period' }])
    expect(drawChart({ ...chart, bars: [bar!, bar!] }, en!).legend).to.deep.equal([])
  })

  it('with a base, bars extend from it up or down, also for the value 0', () => {
    const { bars, base } = drawChart({ ...chart, base: { value: 50, name: 'half' } }, en!)
    expect(base).to.equal('M0 50h20')
    expect(bars[0]!.path).to.equal('M1.5 50h7v10h-7zM11.5 50h7v50h-7z')
    expect(drawChart(chart, en!).bars[0]!.path, 'else nothing is no bar').to.equal('M1.5 60h7v40h-7z')
  })
})
