import { expect } from 'chai'
import { getScoreBand } from './score-bands.ts'

describe('panel: score bands', () => {
  it('the band depends on the exact score, not on the rounded one', () => {
    const bands = [0, 49.6, 50, 69.9, 70, 100].map((score) => getScoreBand(score, [50, 70]))
    expect(bands).to.deep.equal(['low', 'low', 'middle', 'middle', 'good', 'good'])
  })

  it('score bands begin at the configured limits', () => {
    expect([79, 80, 90].map((score) => getScoreBand(score, [80, 90]))).to.deep.equal(['low', 'middle', 'good'])
  })
})
