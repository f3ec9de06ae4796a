interface ScoredDeal {
  score: number
  won: boolean
  stratum: number
}

/** Deals sorted by stratum and score, so that each resample is one pass. */
export interface SortedDeals {
  /** The index of the deal at each position. */
  order: Int32Array
  /** 1 if the deal at a position was won. */
  won: Uint8Array
  /** Where each run of deals of one stratum and score ends. */
  ends: Int32Array
  /** 1 if a run is the first of its stratum. */
  isFirst: Uint8Array
}

interface Concordance {
  /** Twice the pairs in which the won deal has the higher score; a tie counts once, so the sum is an integer. */
  twice: number
  pairs: number
}

/** Sorts deals by stratum and score into typed arrays for the resampling. */
export function sortDealsByScore(deals: readonly ScoredDeal[]): SortedDeals {
  const strata = Int32Array.from(deals, ({ stratum }) => stratum)
  const scores = Float64Array.from(deals, ({ score }) => score)
  const order = Int32Array.from(deals.keys()).sort((a, b) => strata[a]! - strata[b]! || scores[a]! - scores[b]!)
  const [ends, isFirst]: [number[], number[]] = [[], []]
  for (let n = 0; n < order.length; n++) {
    const [before, deal] = [order[n - 1], order[n]!]
    const isNewStratum = before === undefined || strata[before] !== strata[deal]
    if (!isNewStratum && scores[before] === scores[deal]) continue
    if (n > 0) ends.push(n)
    isFirst.push(isNewStratum ? 1 : 0)
  }
  if (order.length > 0) ends.push(order.length)
  return {
    order,
    won: Uint8Array.from(order, (deal) => (deals[deal]!.won ? 1 : 0)),
    ends: Int32Array.from(ends),
    isFirst: Uint8Array.from(isFirst),
  }
}

/**
 * Counts the pairs of a won and a lost deal of one stratum. Each deal counts as often as its group was drawn.
 * @param drawn how often each group counts
 * @param state four numbers, initially a seed
 */
export function countConcordance(
  { won, ends, isFirst }: SortedDeals,
  drawn: Float64Array,
  groups: Int32Array,
): Concordance {
  let [twice, pairs, wonInStratum, lostInStratum] = [0, 0, 0, 0]
  for (let run = 0, n = 0; run < ends.length; run++) {
    if (isFirst[run] === 1) {
      pairs += wonInStratum * lostInStratum
      wonInStratum = lostInStratum = 0
    }
    let [wonInRun, all] = [0, 0]
    for (; n < ends[run]!; n++) {
      const weight = drawn[groups[n]!]!
      wonInRun += weight * won[n]!
      all += weight
    }
    const lostInRun = all - wonInRun
    twice += wonInRun * (2 * lostInStratum + lostInRun)
    wonInStratum += wonInRun
    lostInStratum += lostInRun
  }
  return { twice, pairs: pairs + wonInStratum * lostInStratum }
}

/** The same with each deal once. */
export const countUnweightedConcordance = (sorted: SortedDeals): Concordance =>
  countConcordance(sorted, Float64Array.of(1), new Int32Array(sorted.order.length))

/** The share of the pairs, ½ if score and outcome are independent; null without pairs. */
export const computeConcordantShare = ({ twice, pairs }: Concordance): number | null =>
  pairs === 0 ? null : twice / (2 * pairs)
