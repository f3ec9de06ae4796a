import { countConcordance, computeConcordantShare, type SortedDeals } from './concordance.ts'
import type { DealGroups } from './closed-deals.ts'

/** An interval, and the share of such intervals that contain the true value. */
export interface ConfidenceInterval {
  low: number
  high: number
  level: number
}

interface BootstrapResult {
  requested: number
  valid: number
  /** Resamples without a pair of a won and a lost deal. */
  void: number
  /** Null if too many resamples were void, or none is valid. */
  interval: ConfidenceInterval | null
}

/** With a larger share of void resamples, the valid ones are no fair sample. */
const MAX_VOID_SHARE = 0.05
const TAIL_PROBABILITY = 0.025

/** Repeatedly draws as many groups as there are, with replacement. @returns the interval of the percentiles */
export function bootstrapInterval(
  sorted: SortedDeals,
  { group, count }: DealGroups,
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
    const share = computeConcordantShare(countConcordance(sorted, drawn, groups))
    if (share !== null) shares.push(share)
  }
  const voids = replicates - shares.length
  const interval = voids > MAX_VOID_SHARE * replicates ? null : computePercentileInterval(shares)
  return { requested: replicates, valid: shares.length, void: voids, interval }
}

/** From the k-th smallest to the k-th largest value. Few values cannot support 95 %, and the level says so. */
export function computePercentileInterval(values: number[]): ConfidenceInterval | null {
  const v = values.length
  if (v < 2) return null
  const sorted = Float64Array.from(values).sort()
  // If (v + 1) · 0.025 is whole, binary fractions must not lose it.
  const k = Math.max(1, Math.floor((v + 1) * TAIL_PROBABILITY + 1e-9))
  return { low: sorted[k - 1]!, high: sorted[v - k]!, level: Math.min(0.95, 1 - (2 * k) / (v + 1)) }
}

/** Numbers from 0 up to 1. @param seed four numbers */
export function createRandom(seed: Uint32Array): () => number {
  const [state, next] = [Int32Array.from(seed), new Uint32Array(1)]
  return () => {
    fillRandom(state, next)
    return next[0]! / 2 ** 32
  }
}

/**
 * Fills an array with numbers of 32 bits, by Chris Doty-Humphrey’s sfc32 (PractRand). One at a time would take four times as long.
 * @param state four numbers, a seed at first
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
