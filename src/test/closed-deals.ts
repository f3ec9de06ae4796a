import { randomNumbers } from '../reports/correlation/bootstrap.ts'
import { sortDeals } from '../reports/correlation/concordance.ts'
import { withStrata, type ClosedDeal } from '../reports/correlation/deals.ts'

export const deal = (given: Partial<ClosedDeal>): ClosedDeal => ({
  id: '',
  won: false,
  funnel: 'f',
  manager: 'm',
  score: 50,
  earlierScore: null,
  seconds: 100,
  links: [],
  rules: {},
  ...given,
})

/** Deals of a manager by their scores. */
export const dealsOf = (manager: string, won: number[], lost: number[]): ClosedDeal[] => [
  ...won.map((score, n) => deal({ id: `${manager}-won-${n}`, manager, score, won: true })),
  ...lost.map((score, n) => deal({ id: `${manager}-lost-${n}`, manager, score })),
]

export const sorted = (deals: ClosedDeal[]) => sortDeals(withStrata(deals))

/** Random numbers that are the same in every run. */
export const random = randomNumbers(Uint32Array.of(9, 8, 7, 6))
export const whole = (below: number): number => Math.floor(random() * below)

/** A random company: scores on a coarse grid, so that there are ties. */
export const company = (size: number): ClosedDeal[] =>
  Array.from({ length: size }, (_, n) =>
    deal({
      id: String(1000 + n),
      manager: `m${whole(4)}`,
      funnel: `f${whole(2)}`,
      score: 5 * whole(20),
      won: random() < 0.4,
      links: [`client ${whole(Math.ceil(size * 0.8))}`],
    }),
  )
