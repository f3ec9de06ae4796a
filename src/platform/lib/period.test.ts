import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { computeMeanFigure, computeRatio } from '../../reports/definitions/figures.ts'
import { createPeriod, parsePeriod, parseIsoWeek, formatIsoWeek, splitIntoWeeks } from './period.ts'

const LIMITS = { days: 30, most: 366 }
const parseTestPeriod = (from: string, to: string, zone: string) => parsePeriod({ from, to }, zone, LIMITS)
const countHours = ({ since, until }: { since: Date; until: Date }) => (until.getTime() - since.getTime()) / 3_600_000

describe('periods of reports', () => {
  it('days follow their time zone, also days of 23 or 25 hours or without midnight', () => {
    for (const [zone, day, since, length] of [
      ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
      ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
      ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23],
      ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25],
      // The clocks go forward at midnight, so the day begins at 01:00.
      ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', 23],
      ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00Z', 25],
      ['Europe/Moscow', '2026-03-29', '2026-03-28T21:00:00Z', 24],
    ] as const) {
      const found = parseTestPeriod(day, day, zone)
      expect(found.since.toISOString().replace('.000', ''), `${zone} ${day}`).to.equal(since)
      expect(countHours(found), `${zone} ${day}`).to.equal(length)
    }
  })

  it('weeks cover their period without a gap over both changes of the clock', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Africa/Cairo']) {
      const year = parseTestPeriod('2025-12-30', '2026-12-29', zone)
      const weeks = splitIntoWeeks(year)
      expect(weeks[0]!.since).to.deep.equal(year.since)
      expect(weeks.at(-1)!.until).to.deep.equal(year.until)
      weeks.slice(1).forEach((week, n) => expect(week.since).to.deep.equal(weeks[n]!.until))
      const odd = weeks.filter((week) => week.complete && countHours(week) !== 168).map((week) => countHours(week))
      expect(odd, `${zone}: one week of 167 hours, one of 169 where it is over by now`).to.include.oneOf([167, 169])
    }
  })

  it('weeks follow ISO 8601, even if the week belongs to another year', () => {
    expect(formatIsoWeek(Temporal.PlainDate.from('2027-01-01'))).to.equal('2026-W53')
    expect(formatIsoWeek(Temporal.PlainDate.from('2024-12-30'))).to.equal('2025-W01')
    expect(parseIsoWeek('2026-W12').toString()).to.equal('2026-03-16')
    expect(parseIsoWeek('2026-W53').toString()).to.equal('2026-12-28')
    for (const none of ['2025-W53', '2026-W00', '2026-W54', '2026-12', 'W12', '']) {
      expect(() => parseIsoWeek(none), none).to.throw('week must be a week such as 2026-W12')
    }
  })

  it('a week that is cut or not over is not complete', () => {
    const listWeekNames = (from: string, to: string) =>
      splitIntoWeeks(parseTestPeriod(from, to, 'UTC')).map(({ week, complete }) => [week, complete])
    expect(listWeekNames('2026-03-18', '2026-04-01')).to.deep.equal([
      ['2026-W12', false],
      ['2026-W13', true],
      ['2026-W14', false],
    ])
    const today = Temporal.Now.plainDateISO('UTC')
    const tomorrow = today.add({ days: 1 }).toString() // tomorrow is in an unfinished week, even if midnight passes during the test
    const running = splitIntoWeeks(createPeriod(today.subtract({ days: 20 }), today.add({ days: 10 }), 'UTC'))
    expect(running.find(({ from, to }) => from <= tomorrow && to >= tomorrow)!.complete).to.equal(false)
  })

  it('a share or mean of fewer than ten values is null', () => {
    expect(computeRatio(4, 9)).to.deep.equal({ value: null, numerator: 4, denominator: 9 })
    expect(computeRatio(4, 10)).to.deep.equal({ value: 0.4, numerator: 4, denominator: 10 })
    expect(computeRatio(0, 0).value).to.equal(null)
    expect(computeMeanFigure(640, 9)).to.deep.equal({ value: null, count: 9 })
    expect(computeMeanFigure(645, 10)).to.deep.equal({ value: 64.5, count: 10 })
  })
})
