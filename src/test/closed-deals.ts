import { sortDealsByStratumAndScore } from '../reports/correlation/concordance.ts'
import { assignDealStrata, type ClosedDeal } from '../reports/correlation/closed-deals.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Creates a closed deal; `fields` override the defaults. */
export const makeClosedDeal = (fields: Partial<ClosedDeal>): ClosedDeal => ({
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
export const makeClosedDealsOfManager = (manager: string, won: number[], lost: number[]): ClosedDeal[] => [
  ...won.map((score, n) => makeClosedDeal({ id: `${manager}-won-${n}`, manager, score, won: true })),
  ...lost.map((score, n) => makeClosedDeal({ id: `${manager}-lost-${n}`, manager, score })),
]

/** Assigns strata and sorts the deals as analyseScoreCorrelation() does. */
export const assignStrataAndSort = (deals: ClosedDeal[]) => sortDealsByStratumAndScore(assignDealStrata(deals))

/** Creates random deals of four managers and two funnels. The scores are multiples of 5, so that ties occur. */
export const makeRandomClosedDeals = (size: number, random: SeededRandom): ClosedDeal[] =>
  Array.from({ length: size }, (_, n) =>
    makeClosedDeal({
      id: String(1000 + n),
      manager: `m${random.integer(4)}`,
      funnel: `f${random.integer(2)}`,
      score: 5 * random.integer(20),
      won: random.chance(0.4),
      links: [`client ${random.integer(Math.ceil(size * 0.8))}`],
    }),
  )
