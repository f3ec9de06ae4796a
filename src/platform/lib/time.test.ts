import { expect } from 'chai'
import { dayOf, dayTeller, parseEnd } from './time.ts'

describe('parseEnd', () => {
  it('a day ends at the start of the next one, a time is the end itself', () => {
    for (const [text, zone, end] of [
      ['2026-03-01', 'UTC', '2026-03-02T00:00:00.000Z'],
      ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
      ['2026-03-01T10:00', 'Europe/Berlin', '2026-03-01T09:00:00.000Z'],
      ['9999-12-31', 'UTC', '9999-12-31T23:59:59.999Z'],
    ] as const) {
      expect(parseEnd(text, zone)!.toISOString(), text).to.equal(end)
    }
    expect(parseEnd('2026-02-30', 'UTC')).to.equal(undefined)
  })
})

describe('dayTeller', () => {
  const MINUTE = 60_000

  /** Around a moment, in both directions: what was told before must not matter. */
  function same(timeZone: string, around: string): void {
    const tell = dayTeller(timeZone)
    const offsets = Array.from({ length: 400 }, (_, n) => (n - 200) * 15 * MINUTE)
    for (const offset of [...offsets, ...offsets.toReversed()]) {
      for (const edge of [0, 1, 15 * MINUTE - 1]) {
        const moment = new Date(Date.parse(around) + offset + edge)
        expect(tell(moment), `${timeZone} ${moment.toISOString()}`).to.equal(dayOf(moment, timeZone))
      }
    }
  }

  it('tells the day as dayOf does, at its first and last moment', () => same('Europe/Moscow', '2026-03-01T21:00:00Z'))

  it('also where a clock is set forward or back within the day', () => {
    same('America/New_York', '2025-03-09T07:00:00Z')
    same('America/New_York', '2025-11-02T06:00:00Z')
  })

  it('also where it is set back at midnight, so that a day begins twice, and where a day is left out', () => {
    same('America/Havana', '2025-11-02T05:00:00Z')
    same('America/Sao_Paulo', '2018-02-18T02:00:00Z')
    same('Pacific/Apia', '2011-12-30T10:00:00Z')
  })
})
