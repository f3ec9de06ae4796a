import { expect } from 'chai'
import { getScoreBand } from './score-bands.ts'

describe('panel: score bands', () => {
  it('the band is that of the rounded score, which people read', () => {
    const bands = [0, 49.4, 49.6, 69.4, 69.9, 100].map((score) => getScoreBand(score, [50, 70]))
    expect(bands).to.deep.equal(['low', 'low', 'middle', 'middle', 'good', 'good'])
  })

  it('score bands begin at the configured limits', () => {
    expect([79, 80, 90].map((score) => getScoreBand(score, [80, 90]))).to.deep.equal(['low', 'middle', 'good'])
  })
})
