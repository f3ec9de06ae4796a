import { expect } from 'chai'
import type { DailyCallCount } from './counts.ts'
import { formatDaysTsquery, scanSearchDaysBackward, type SearchDayStep } from './search-days.ts'

/** Five days of each week, newest first, with a thousand calls per day. The newest day is not at the end of a block of ten. */
const DAYS: DailyCallCount[] = Array.from({ length: 900 }, (_, n) => 20_778 - n)
  .filter((day) => day % 7 > 1)
  .map((day) => ({ day, calls: 1000 }))

/** Returns the days that a tsquery matches, out of all existing days. */
function parseDays(query: string): number[] {
  const patterns = query
    .split(' | ')
    .map((word) => ({ number: word.slice(2, word.lastIndexOf("'")), isOpen: word.endsWith(':*') }))
  const isMatching = (day: string) =>
    patterns.some(({ number, isOpen }) => (isOpen ? day.startsWith(number) : day === number))
  return DAYS.map(({ day }) => day).filter((day) => isMatching(String(day)))
}

async function collectSteps(share: number, found: number): Promise<SearchDayStep[]> {
  const steps: SearchDayStep[] = []
  const budget = { matches: 20_000, results: 2000, expectedShare: share, canReadRest: false }
  await scanSearchDaysBackward(DAYS, budget, (step) => {
    steps.push(step)
    const calls = step.days.length * 1000
    return Promise.resolve({ matches: calls * found, results: calls * found })
  })
  return steps
}

describe('day scans of a search', () => {
  for (const [share, found] of [
    [1, 0.01],
    [1, 0.5],
    [0.25, 0.1],
    [0.05, 0.02],
    [0.9, 1],
  ] as const)
    it(`a scan reads each day once (expected share ${share}, found ${found})`, async () => {
      const steps = await collectSteps(share, found)
      for (const step of steps)
        expect(parseDays(formatDaysTsquery(step))).to.deep.equal(step.days.map(({ day }) => day))
      const all = steps.flatMap(({ days }) => days)
      expect(all).to.deep.equal(DAYS.slice(0, all.length))
    })

  it('a query for many days has few terms', async () => {
    const [step] = await collectSteps(0.05, 1)
    expect(step!.days.length).to.be.greaterThan(300)
    expect(formatDaysTsquery(step!).split(' | ').length).to.be.lessThan(step!.days.length / 5)
  })
})
