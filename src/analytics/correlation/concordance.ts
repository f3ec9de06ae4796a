/** Deals sorted once, so that every resample is one pass: by stratum, then by score. */
export interface Sorted {
  /** Which deal stands at each place. */
  order: Int32Array
  won: Uint8Array
  /** Whether the place begins a stratum, and whether its score is the one of the place before. */
  begins: Uint8Array
  ties: Uint8Array
}

export interface Concordance {
  /** Twice the pairs in which the won deal has the higher score, a tie counting once: so the sum stays whole. */
  twice: number
  pairs: number
}

/** @param strata the stratum of each deal, as any text */
export function sortDeals(scores: readonly number[], won: readonly boolean[], strata: readonly string[]): Sorted {
  const rank = ranksOf(strata)
  const order = Int32Array.from(scores, (_, n) => n).sort(
    (a, b) => rank[a]! - rank[b]! || scores[a]! - scores[b]! || a - b,
  )
  const before = (n: number) => order[n - 1]!
  return {
    order,
    won: Uint8Array.from(order, (deal) => Number(won[deal])),
    begins: Uint8Array.from(order, (deal, n) => Number(n === 0 || rank[deal] !== rank[before(n)])),
    ties: Uint8Array.from(order, (deal, n) =>
      Number(n > 0 && rank[deal] === rank[before(n)] && scores[deal] === scores[before(n)]),
    ),
  }
}

/** The place of each text among the different ones: numbers are compared faster than texts. */
function ranksOf(texts: readonly string[]): Int32Array {
  const ranks = new Map([...new Set(texts)].sort().map((text, n) => [text, n]))
  return Int32Array.from(texts, (text) => ranks.get(text)!)
}

/**
 * Of all pairs of a won and a lost deal of one stratum, those in which the won one has the higher score. Each deal
 * counts as often as its group was drawn.
 * @param weights how often each place counts
 */
export function concordance({ won, begins, ties }: Sorted, weights: Float64Array): Concordance {
  let [twice, pairs] = [0, 0]
  let [wonHere, lostHere, lostBelow, wonTied, lostTied] = [0, 0, 0, 0, 0]
  for (let n = 0; n < won.length; n++) {
    if (ties[n] === 0) {
      twice += wonTied * (2 * lostBelow + lostTied)
      lostBelow += lostTied
      wonTied = lostTied = 0
      if (begins[n] === 1) {
        pairs += wonHere * lostHere
        wonHere = lostHere = lostBelow = 0
      }
    }
    // Without a branch: which of both it is nobody can predict.
    const asWon = weights[n]! * won[n]!
    const asLost = weights[n]! - asWon
    wonTied += asWon
    wonHere += asWon
    lostTied += asLost
    lostHere += asLost
  }
  return { twice: twice + wonTied * (2 * lostBelow + lostTied), pairs: pairs + wonHere * lostHere }
}

/** Each deal once. */
export const once = ({ order }: Sorted): Float64Array => new Float64Array(order.length).fill(1)

/** The share of the pairs, ½ where score and outcome know nothing of each other; null without pairs. */
export const shareOf = ({ twice, pairs }: Concordance): number | null => (pairs === 0 ? null : twice / (2 * pairs))
