import { expect } from 'chai'
import { replacePeriodByDates } from './relative-period.ts'

describe('panel: dates of a relative period', () => {
  const replace = (filters: Record<string, string>) => replacePeriodByDates(filters, '2026-03-18')

  it('a period becomes its first and last day, and other filters stay', () => {
    expect(replace({ period: 'lastWeek', q: 'a' })).to.deep.equal({
      q: 'a',
      dateFrom: '2026-03-09',
      dateTo: '2026-03-15',
    })
  })

  it('dates within the period narrow it, also a time on its last day', () => {
    const dates = { dateFrom: '2026-03-10', dateTo: '2026-03-15T12:00:00Z' }
    expect(replace({ period: 'lastWeek', ...dates })).to.deep.equal(dates)
  })

  it('dates outside the period do not widen it', () => {
    expect(replace({ period: 'lastWeek', dateFrom: '2026-01-01', dateTo: '2026-12-31' })).to.deep.equal({
      dateFrom: '2026-03-09',
      dateTo: '2026-03-15',
    })
  })

  it('an unknown period is removed', () => {
    expect(replace({ period: 'someday', dateFrom: '2026-03-10' })).to.deep.equal({ dateFrom: '2026-03-10' })
  })
})
