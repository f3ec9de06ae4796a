/** Deals sorted once, so that every resample is one pass: by stratum, then by score, of one score the won ones first. */
export interface Sorted {
  /** Which deal stands at each position. */
  order: Int32Array
  /** 1 where the deal at a position was won. */
  won: Uint8Array
  /** The first position of each stratum, and at last the end. */
  starts: Int32Array
  /** Where won and lost deals of a stratum have one score: three numbers each, its first position, that of its first lost deal, its end. */
  ties: Int32Array
}

export interface Concordance {
  /** Twice the pairs in which the won deal has the higher score, a tie counting once: so the sum stays whole. */
  twice: number
  pairs: number
}

/** Deals sorted by score, of one score the won ones first: the same for any strata. */
export interface ByScore {
  order: Int32Array
  /** Of each deal: alike where the scores are. */
  rank: Int32Array
  won: readonly boolean[]
}

export function sortByScore(scores: readonly number[], won: readonly boolean[]): ByScore {
  const sorted = Float64Array.from(scores).sort()
  const rank = Int32Array.from(scores, (score) => firstIndexOf(score, sorted))
  const order = orderBy(rank.map((rank, deal) => 2 * rank + (won[deal] ? 0 : 1)))
  return { order, rank, won }
}

/** Where a value stands first in sorted ones, by halving. */
function firstIndexOf(value: number, sorted: Float64Array): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** @param strata the number of each deal's stratum */
export function sortInStrata({ order: before, rank, won }: ByScore, strata: Int32Array): Sorted {
  const order = orderBy(strata, before)
  const wonAt = Uint8Array.from(order, (deal) => (won[deal] ? 1 : 0))
  return { order, won: wonAt, ...boundsOf(order, wonAt, rank, strata) }
}

/** Deals by rank, those of one rank as they were before: counted, which takes no comparing. */
function orderBy(ranks: Int32Array, before: Iterable<number> = ranks.keys()): Int32Array {
  const next = new Int32Array(ranks.reduce((most, rank) => Math.max(most, rank), 0) + 2)
  for (const rank of ranks) next[rank + 1]!++
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!
  const order = new Int32Array(ranks.length)
  for (const deal of before) order[next[ranks[deal]!]!++] = deal
  return order
}

function boundsOf(order: Int32Array, won: Uint8Array, score: Int32Array, stratum: Int32Array) {
  const isSame = (ranks: Int32Array, n: number) => ranks[order[n]!] === ranks[order[n - 1]!]
  const isTied = (n: number) => n > 0 && n < order.length && isSame(stratum, n) && isSame(score, n)
  const [starts, ties]: [number[], number[]] = [[], []]
  for (let n = 0; n < order.length; n++) {
    if (n === 0 || !isSame(stratum, n)) starts.push(n)
    if (won[n] === 1 || !isTied(n) || won[n - 1] === 0) continue
    let [first, end] = [n - 1, n + 1]
    while (isTied(first)) first--
    while (isTied(end)) end++
    ties.push(first, n, end)
  }
  return { starts: Int32Array.from([...starts, order.length]), ties: Int32Array.from(ties) }
}

/**
 * Of all pairs of a won and a lost deal of one stratum, those in which the won one has the higher score. Each deal
 * counts as often as its group was drawn.
 * @param drawn how often each group counts
 * @param groups the group at each position
 */
export function concordance(sorted: Sorted, drawn: Float64Array, groups: Int32Array): Concordance {
  const total = { twice: 0, pairs: 0 }
  const { starts, ties } = sorted
  for (let n = 1; n < starts.length; n++) addStratum(total, sorted, drawn, groups, starts[n - 1]!, starts[n]!)
  for (let n = 0; n < ties.length; n += 3) {
    const lost = ties[n + 1]!
    total.twice += weightOf(drawn, groups, ties[n]!, lost) * weightOf(drawn, groups, lost, ties[n + 2]!)
  }
  return total
}

/** A function of its own: called often, it is compiled early. Here a lost deal counts as below the won ones after it alone. */
function addStratum(
  total: Concordance,
  { won }: Sorted,
  drawn: Float64Array,
  groups: Int32Array,
  from: number,
  to: number,
): void {
  let all = 0
  let lost = 0
  let above = 0
  for (let n = from; n < to; n++) {
    // Without a branch: which of both it is nobody can predict.
    const weight = drawn[groups[n]!]!
    const asWon = weight * won[n]!
    above += asWon * lost
    lost += weight - asWon
    all += weight
  }
  total.twice += 2 * above
  total.pairs += (all - lost) * lost
}

function weightOf(drawn: Float64Array, groups: Int32Array, from: number, to: number): number {
  let weight = 0
  for (let n = from; n < to; n++) weight += drawn[groups[n]!]!
  return weight
}

/** The same with each deal once. */
export const concordanceOnce = (sorted: Sorted): Concordance =>
  concordance(sorted, Float64Array.of(1), new Int32Array(sorted.order.length))

/** The share of the pairs, ½ where score and outcome know nothing of each other; null without pairs. */
export const shareOf = ({ twice, pairs }: Concordance): number | null => (pairs === 0 ? null : twice / (2 * pairs))
