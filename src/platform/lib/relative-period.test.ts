import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { createPeriod } from './period.ts'
import { computeDaysOfPeriod, RELATIVE_PERIODS, type RelativePeriod } from './relative-period.ts'

describe('relative periods', () => {
  const findDays = (period: RelativePeriod, today: string): string => {
    const { from, to } = computeDaysOfPeriod(period, Temporal.PlainDate.from(today))
    return `${from.toString()} ${to.toString()}`
  }
  const findAllDays = (today: string) =>
    Object.fromEntries(RELATIVE_PERIODS.map((period) => [period, findDays(period, today)]))

  it('weeks begin on Monday, also on a Monday and on a Sunday', () => {
    // 16 November 2026 is a Monday.
    for (const day of ['2026-11-16', '2026-11-18', '2026-11-22']) {
      expect(findDays('thisWeek', day), day).to.equal('2026-11-16 2026-11-22')
      expect(findDays('lastWeek', day), day).to.equal('2026-11-09 2026-11-15')
    }
    expect(findDays('thisWeek', '2026-11-23')).to.equal('2026-11-23 2026-11-29')
  })

  it('on the first of a month, each period has its whole days', () => {
    expect(findAllDays('2027-03-01')).to.deep.equal({
      today: '2027-03-01 2027-03-01',
      yesterday: '2027-02-28 2027-02-28',
      thisWeek: '2027-03-01 2027-03-07',
      lastWeek: '2027-02-22 2027-02-28',
      last7Days: '2027-02-23 2027-03-01',
      last30Days: '2027-01-31 2027-03-01',
      thisMonth: '2027-03-01 2027-03-31',
      lastMonth: '2027-02-01 2027-02-28',
    })
  })

  it('months can belong to different years', () => {
    expect(findDays('lastMonth', '2027-01-31')).to.equal('2026-12-01 2026-12-31')
    expect(findDays('thisMonth', '2026-12-31')).to.equal('2026-12-01 2026-12-31')
  })

  it('bounds follow the time zone when the clocks change', () => {
    const findBounds = (period: RelativePeriod, today: string): string[] => {
      const { from, to } = computeDaysOfPeriod(period, Temporal.PlainDate.from(today))
      const { since, until } = createPeriod(from, to, 'Europe/Berlin')
      return [since, until].map((time) => time.toISOString().slice(0, 16))
    }
    // The clocks go forward on Sunday 29 March and back on Sunday 25 October.
    expect(findBounds('today', '2026-03-29')).to.deep.equal(['2026-03-28T23:00', '2026-03-29T22:00'])
    expect(findBounds('thisWeek', '2026-03-29')).to.deep.equal(['2026-03-22T23:00', '2026-03-29T22:00'])
    expect(findBounds('yesterday', '2026-10-26')).to.deep.equal(['2026-10-24T22:00', '2026-10-25T23:00'])
    expect(findBounds('last7Days', '2026-10-26')).to.deep.equal(['2026-10-19T22:00', '2026-10-26T23:00'])
    expect(findBounds('thisMonth', '2026-10-01')).to.deep.equal(['2026-09-30T22:00', '2026-10-31T23:00'])
  })
})
