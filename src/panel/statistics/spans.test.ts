import { expect } from 'chai'
import { buildPeriodSpans } from './spans.ts'

describe('panel: complete entries of the statistics', () => {
  const formatSpans = (days: string[], interval: 'day' | 'week' | 'month', last: string, today: string) =>
    buildPeriodSpans(
      days.map((day) => ({ day })),
      interval,
      last,
      today,
    ).map(({ from, to, isOpen }) => `${from}–${to}${isOpen ? ' open' : ''}`)

  it('a span that ends today or later is open', () => {
    expect(formatSpans(['2026-03-01', '2026-03-02', '2026-03-03'], 'day', '2026-03-03', '2026-03-02')).to.deep.equal([
      '2026-03-01–2026-03-01',
      '2026-03-02–2026-03-02 open',
      '2026-03-03–2026-03-03 open',
    ])
    expect(formatSpans(['2026-03-02', '2026-03-09'], 'week', '2026-03-15', '2026-03-15')).to.deep.equal([
      '2026-03-02–2026-03-08',
      '2026-03-09–2026-03-15 open',
    ])
    expect(formatSpans(['2026-02-01'], 'month', '2026-02-28', '2026-02-28')).to.deep.equal([
      '2026-02-01–2026-02-28 open',
    ])
  })

  it('a week or month that the period cuts is open, at either end', () => {
    expect(formatSpans(['2026-03-03', '2026-03-09', '2026-03-16'], 'week', '2026-03-21', '2026-06-01')).to.deep.equal([
      '2026-03-03–2026-03-08 open',
      '2026-03-09–2026-03-15',
      '2026-03-16–2026-03-21 open',
    ])
    expect(formatSpans(['2026-01-02', '2026-02-01', '2026-03-01'], 'month', '2026-03-30', '2026-06-01')).to.deep.equal([
      '2026-01-02–2026-01-31 open',
      '2026-02-01–2026-02-28',
      '2026-03-01–2026-03-30 open',
    ])
    expect(formatSpans(['2026-03-01'], 'month', '2026-03-31T12:00', '2026-06-01')).to.deep.equal([
      '2026-03-01–2026-03-31',
    ])
  })
})
