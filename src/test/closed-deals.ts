import { createRandom } from '../reports/correlation/bootstrap.ts'
import { sortDealsByScore } from '../reports/correlation/concordance.ts'
import { assignStrata, type ClosedDeal } from '../reports/correlation/closed-deals.ts'

/** Creates a closed deal; `fields` override the defaults. */
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

/** Creates deals of one manager from the scores of won and lost deals. */
export const makeDealsOfManager = (manager: string, won: number[], lost: number[]): ClosedDeal[] => [
  ...won.map((score, n) => makeDeal({ id: `${manager}-won-${n}`, manager, score, won: true })),
  ...lost.map((score, n) => makeDeal({ id: `${manager}-lost-${n}`, manager, score })),
]

/** Assigns strata and sorts the deals as analyseScoreCorrelation() does. */
export const sortWithStrata = (deals: ClosedDeal[]) => sortDealsByScore(assignStrata(deals))

/** Draws numbers from 0 (inclusive) to 1 (exclusive), the same in every run. */
export const seededRandom = createRandom(Uint32Array.of(9, 8, 7, 6))
/** Draws an integer from 0 (inclusive) to `below` (exclusive), the same in every run. */
export const randomInteger = (below: number): number => Math.floor(seededRandom() * below)

/** Creates random deals of four managers and two funnels. The scores are multiples of 5, so that ties occur. */
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
