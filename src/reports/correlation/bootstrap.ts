import { countConcordantPairs, computeConcordantShare, type ScoreSortedDeals } from './concordance.ts'
import type { LinkedDealGroups } from './closed-deals.ts'

/** Describes a confidence interval. `level` is the share of such intervals that contain the true value, such as 0.95. */
export interface ConfidenceInterval {
  low: number
  high: number
  level: number
}

interface BootstrapResult {
  requested: number
  valid: number
  /** Counts the resamples without a pair of a won and a lost deal. */
  void: number
  /** Null if too many resamples were void or fewer than two are valid. */
  interval: ConfidenceInterval | null
}

/** If a larger share of resamples is void, the valid ones are a biased sample. */
const MAX_VOID_SHARE = 0.05
const TAIL_PROBABILITY = 0.025

/**
 * Computes a confidence interval of the concordant share by resampling groups of linked deals with replacement.
 * @param replicates number of resamples
 * @param seed four 32-bit numbers
 */
export function computeBootstrapInterval(
  sorted: ScoreSortedDeals,
  { group, count }: LinkedDealGroups,
  replicates: number,
  seed: Uint32Array,
): BootstrapResult {
  const groups = Int32Array.from(sorted.order, (deal) => group[deal]!)
  const state = Int32Array.from(seed)
  const [numbers, drawn] = [new Uint32Array(count), new Float64Array(count)]
  const shares: number[] = []
  for (let n = 0; n < replicates; n++) {
    fillRandom(state, numbers)
    drawn.fill(0)
    for (const number of numbers) drawn[Math.floor((number / 2 ** 32) * count)]! += 1
    const share = computeConcordantShare(countConcordantPairs(sorted, drawn, groups))
    if (share !== null) shares.push(share)
  }
  const voids = replicates - shares.length
  const interval = voids > MAX_VOID_SHARE * replicates ? null : computePercentileInterval(shares)
  return { requested: replicates, valid: shares.length, void: voids, interval }
}

/**
 * Returns the interval between the 2.5 % and 97.5 % percentiles, null for fewer than two values. With few values, `level` is
 * below 0.95.
 */
export function computePercentileInterval(values: number[]): ConfidenceInterval | null {
  const v = values.length
  if (v < 2) return null
  const sorted = Float64Array.from(values).sort()
  const k = Math.max(1, Math.floor((v + 1) * TAIL_PROBABILITY))
  return { low: sorted[k - 1]!, high: sorted[v - k]!, level: Math.min(0.95, 1 - (2 * k) / (v + 1)) }
}

/**
 * Creates a deterministic generator of random numbers from 0 (inclusive) to 1 (exclusive).
 * @param seed four 32-bit numbers
 */
export function createRandomGenerator(seed: Uint32Array): () => number {
  const [state, next] = [Int32Array.from(seed), new Uint32Array(1)]
  return () => {
    fillRandom(state, next)
    return next[0]! / 2 ** 32
  }
}

/**
 * Fills `numbers` with random 32-bit numbers by the generator sfc32 of Chris Doty-Humphrey (PractRand). A call per number would
 * take four times as long.
 * @param state four 32-bit numbers, initially the seed; the function updates them
 */
function fillRandom(state: Int32Array, numbers: Uint32Array): void {
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!]
  for (let n = 0; n < numbers.length; n++) {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    numbers[n] = t
  }
  state.set([a, b, c, d])
}
