import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { formatIsoWeek } from '../../platform/lib/period.ts'
import { parseWeekBounds, computePastWeekNames } from './weeks.ts'

describe('panel: week options', () => {
  it('week names are ISO weeks, also in years with 53 weeks', () => {
    let day = Temporal.PlainDate.from('2029-02-01')
    for (const week of computePastWeekNames(day.toString(), 500)) {
      day = day.subtract({ weeks: 1 })
      const monday = day.subtract({ days: day.dayOfWeek - 1 })
      expect(week).to.equal(formatIsoWeek(day))
      expect(parseWeekBounds(week)).to.deep.equal([monday.toString(), monday.add({ days: 6 }).toString()])
    }
  })

  it('the list of past weeks begins with the last complete one', () => {
    expect(computePastWeekNames('2026-03-22', 1)).to.deep.equal(['2026-W11'])
    expect(computePastWeekNames('2026-03-23', 1)).to.deep.equal(['2026-W12'])
  })
})
