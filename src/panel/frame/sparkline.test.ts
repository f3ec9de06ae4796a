import { join } from 'node:path'
import { Eta } from 'eta'
import { expect } from 'chai'
import { createPanelLanguages } from '../words.ts'
import { drawSparkline } from './sparkline.ts'

describe('panel: sparklines', () => {
  const [en, ru] = createPanelLanguages('UTC')
  const trend = { name: 'Score', values: [70, null, 80, 60], low: 65, high: 75, band: 'middle', shown: String } as const

  it('the label of a sparkline names lowest, highest and last value and the usual range', () => {
    expect(drawSparkline(trend, en!)!.label).to.equal('Score, 4 weeks: 60–80, now 60, usually 65–75')
    expect(drawSparkline(trend, ru!)!.label).to.equal('Score, 4 недели: 60–80, сейчас 60, обычно 65–75')
    const open = { ...trend, values: [70, 80, null], low: null, high: null }
    expect(drawSparkline(open, en!)!.label).to.equal('Score, 3 weeks: 70–80, no value in the last week')
  })

  it('a sparkline draws higher values higher, and joins the weeks beside one without a value', () => {
    const { line, last, usual } = drawSparkline(trend, en!)!
    expect(line).to.equal('M4 11h0L86.7 4h0L128 18h0')
    expect(last).to.deep.equal({ x: 128, y: 18 })
    expect(usual).to.deep.equal({ y: 7.5, height: 7 })
  })

  it('a sparkline marks the last point only if the last week has a value', () => {
    expect(drawSparkline({ ...trend, values: [70, 80, null] }, en!)!.last).to.equal(null)
  })

  it('a sparkline is absent with fewer than two values', () => {
    expect(drawSparkline({ ...trend, values: [null, 70, null] }, en!)).to.equal(undefined)
  })

  it('a sparkline draws equal values as a line in the middle', () => {
    const { line } = drawSparkline({ ...trend, values: [0, 0], low: null, high: null }, en!)!
    expect(line).to.equal('M4 11h0L128 11h0')
  })

  it('a sparkline has the class of its band and no inline style', () => {
    const eta = new Eta({ views: join(process.cwd(), 'views') })
    const html = eta.render('/_sparkline', { sparkline: drawSparkline(trend, en!) })
    expect(html)
      .to.include('class="sparkline middle"')
      .and.include('aria-label="Score, 4 weeks')
      .and.not.include('style=')
    expect(eta.render('/_sparkline', { sparkline: undefined }).trim()).to.equal('')
  })
})
