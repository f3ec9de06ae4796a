interface ScoredDeal {
  score: number
  won: boolean
  stratum: number
}

/**
 * Stores deals sorted by stratum and score, so that each resample needs one pass. A run is a sequence of deals with equal stratum
 * and score.
 */
export interface ScoreSortedDeals {
  /** Maps each sorted position to the index of the deal. */
  order: Int32Array
  /** 1 if the deal at the sorted position was won, else 0. */
  won: Uint8Array
  /** The position after the last deal of each run. */
  ends: Int32Array
  /** 1 if the run is the first of its stratum, else 0. */
  isFirst: Uint8Array
}

interface Concordance {
  /** Twice the number of pairs in which the won deal has the higher score. A tie counts once, so the sum is an integer. */
  twice: number
  pairs: number
}

/** Sorts deals by stratum and score into typed arrays, as bootstrap resampling needs them. */
export function sortDealsByStratumAndScore(deals: readonly ScoredDeal[]): ScoreSortedDeals {
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
 * Counts pairs of a won and a lost deal of one stratum, weighted by how often their groups were drawn.
 * @param drawn how often each group was drawn
 * @param groups the group of the deal at each sorted position
 */
export function countConcordantPairs(
  { won, ends, isFirst }: ScoreSortedDeals,
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

/** Counts concordant pairs of the original deals, each deal once, without resampling. */
export const countUnweightedConcordantPairs = (sorted: ScoreSortedDeals): Concordance =>
  countConcordantPairs(sorted, Float64Array.of(1), new Int32Array(sorted.order.length))

/**
 * Computes the share of pairs in which the won deal has the higher score; a tie counts half.
 * @returns about ½ if score and outcome are independent; null without pairs
 */
export const computeConcordantShare = ({ twice, pairs }: Concordance): number | null =>
  pairs === 0 ? null : twice / (2 * pairs)
