import { createRandom } from '../reports/correlation/bootstrap.ts'
import { sortDealsByScore } from '../reports/correlation/concordance.ts'
import { assignStrata, type ClosedDeal } from '../reports/correlation/closed-deals.ts'

/** A closed deal with default fields. */
export const makeDeal = (fields: Partial<ClosedDeal>): ClosedDeal => ({
  id: '',
  won: false,
  funnel: 'f',
  manager: 'm',
  score: 50,
  earlierScore: null,
  seconds: 100,
  links: [],
  rules: {},
  ...fields,
})

/** Deals of a manager by their scores. */
export const makeDealsOfManager = (manager: string, won: number[], lost: number[]): ClosedDeal[] => [
  ...won.map((score, n) => makeDeal({ id: `${manager}-won-${n}`, manager, score, won: true })),
  ...lost.map((score, n) => makeDeal({ id: `${manager}-lost-${n}`, manager, score })),
]

/** Deals with strata, in the order of the analysis. */
export const sortWithStrata = (deals: ClosedDeal[]) => sortDealsByScore(assignStrata(deals))

/** Random numbers that are the same in every run. */
export const seededRandom = createRandom(Uint32Array.of(9, 8, 7, 6))
/** A random integer from 0 to `below`, excluded. */
export const randomInteger = (below: number): number => Math.floor(seededRandom() * below)

/** A random company: scores on a coarse grid, so that there are ties. */
export const makeCompany = (size: number): ClosedDeal[] =>
  Array.from({ length: size }, (_, n) =>
    makeDeal({
      id: String(1000 + n),
      manager: `m${randomInteger(4)}`,
      funnel: `f${randomInteger(2)}`,
      score: 5 * randomInteger(20),
      won: seededRandom() < 0.4,
      links: [`client ${randomInteger(Math.ceil(size * 0.8))}`],
    }),
  )
