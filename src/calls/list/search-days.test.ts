import { expect } from 'chai'
import type { Day } from './counts.ts'
import { coverDays, walkDays, type Step } from './search-days.ts'

/** Working days back from one in the middle of a ten, a thousand calls on each. */
const DAYS: Day[] = Array.from({ length: 900 }, (_, n) => 20_778 - n)
  .filter((day) => day % 7 > 1)
  .map((day) => ({ day, calls: 1000 }))

/** The days that words mean, of all that there are. */
function meant(words: string[]): number[] {
  const patterns = words.map((word) => ({ number: word.slice(2, word.lastIndexOf("'")), isOpen: word.endsWith(':*') }))
  const isMeant = (day: string) =>
    patterns.some(({ number, isOpen }) => (isOpen ? day.startsWith(number) : day === number))
  return DAYS.map(({ day }) => day).filter((day) => isMeant(String(day)))
}

async function stepsOf(share: number, found: number): Promise<Step[]> {
  const steps: Step[] = []
  await walkDays(DAYS, { enough: 20_000, least: 2000, share, wholeRest: false }, (step) => {
    steps.push(step)
    const calls = step.days.length * 1000
    return Promise.resolve({ looked: calls * found, found: calls * found })
  })
  return steps
}

describe('the days of a search', () => {
  for (const [share, found] of [
    [1, 0.01],
    [1, 0.5],
    [0.25, 0.1],
    [0.05, 0.02],
    [0.9, 1],
  ] as const)
    it(`of a word that ${found} of the calls have, where ${share} was expected: each step means its own days and no other`, async () => {
      const steps = await stepsOf(share, found)
      for (const step of steps) expect(meant(coverDays(step))).to.deep.equal(step.days.map(({ day }) => day))
      const all = steps.flatMap(({ days }) => days)
      expect(all).to.deep.equal(DAYS.slice(0, all.length))
    })

  it('are asked for in few words, however many they are', async () => {
    const [step] = await stepsOf(0.05, 1)
    expect(step!.days.length).to.be.greaterThan(300)
    expect(coverDays(step!).length).to.be.lessThan(30)
  })
})
