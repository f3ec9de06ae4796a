import { expect } from 'chai'
import { parsePeriodEnd } from './time.ts'

describe('parseEnd()', () => {
  it('a day ends at the start of the next day, a time at itself', () => {
    for (const [text, zone, end] of [
      ['2026-03-01', 'UTC', '2026-03-02T00:00:00.000Z'],
      ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
      ['2026-03-01T10:00', 'Europe/Berlin', '2026-03-01T09:00:00.000Z'],
      ['9999-12-31', 'UTC', '9999-12-31T23:59:59.999Z'],
    ] as const) {
      expect(parsePeriodEnd(text, zone)!.toISOString(), text).to.equal(end)
    }
    expect(parsePeriodEnd('2026-02-30', 'UTC')).to.equal(undefined)
  })
})
