import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { formatIsoWeek } from '../../platform/lib/period.ts'
import { parseWeekBounds, computePastWeekNames } from './weeks.ts'

describe('panel: the names of weeks', () => {
  it('are those of the reports, over ends of years with and without a 53rd week', () => {
    let day = Temporal.PlainDate.from('2029-02-01')
    for (const week of computePastWeekNames(day.toString(), 500)) {
      day = day.subtract({ weeks: 1 })
      const monday = day.subtract({ days: day.dayOfWeek - 1 })
      expect(week).to.equal(formatIsoWeek(day))
      expect(parseWeekBounds(week)).to.deep.equal([monday.toString(), monday.add({ days: 6 }).toString()])
    }
  })

  it('begin with the last one that is over', () => {
    expect(computePastWeekNames('2026-03-22', 1)).to.deep.equal(['2026-W11'])
    expect(computePastWeekNames('2026-03-23', 1)).to.deep.equal(['2026-W12'])
  })
})
