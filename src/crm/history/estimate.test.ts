import { expect } from 'chai'
import { calculateHistoryEstimate } from './estimate.ts'

describe('estimate of a history load', () => {
  it('an estimate multiplies averages of the sample by the number of calls', () => {
    const figures = calculateHistoryEstimate({
      total: 12_000,
      share: 0.8,
      shareHere: 0.1,
      seconds: 180,
      bytesPerSecond: 4000,
      pauseSeconds: 2,
      pageSeconds: 0.5,
      rate: 1.8,
      rtf: 0.05,
      slots: 2,
      waitingSeconds: 0,
    })
    expect(figures).to.deep.equal({
      calls: 9600,
      alreadyHere: 1200,
      hours: 480,
      diskBytes: 6_912_000_000,
      loadSeconds: { low: Math.round(11_266.67 * 0.8), high: Math.round(11_266.67 * 1.25) },
      recognitionSeconds: { low: 43_200 * 0.8, high: 43_200 * 1.25 },
    })
  })
})
