import { concordance, shareOf, type Sorted } from './concordance.ts'

/** An interval, and which share of such intervals hold the truth. */
export interface Interval {
  low: number
  high: number
  level: number
}

export interface Resampled {
  requested: number
  valid: number
  /** Resamples in which no won deal met a lost one. */
  void: number
  /** Null where too many were void, or none is valid. */
  interval: Interval | null
}

/** Above this share of void resamples there is no interval: the valid ones are no longer a fair sample. */
const MOST_VOID = 0.05
const TAIL = 0.025

/** Draws as many groups as there are, with replacement, again and again; the interval is that of the percentiles. */
export function bootstrap(
  sorted: Sorted,
  group: Int32Array,
  count: number,
  replicates: number,
  seed: Uint32Array,
): Resampled {
  const groups = Int32Array.from(sorted.order, (deal) => group[deal]!)
  const state = Int32Array.from(seed)
  const [numbers, drawn] = [new Uint32Array(count), new Float64Array(count)]
  const shares: number[] = []
  for (let n = 0; n < replicates; n++) {
    nextNumbers(state, numbers)
    countDraws(numbers, drawn)
    const share = shareOf(concordance(sorted, drawn, groups))
    if (share !== null) shares.push(share)
  }
  const voids = replicates - shares.length
  const interval = voids > MOST_VOID * replicates ? null : percentileInterval(shares)
  return { requested: replicates, valid: shares.length, void: voids, interval }
}

/** How often each group was drawn, as many times as there are groups. */
function countDraws(numbers: Uint32Array, drawn: Float64Array): void {
  // Exact: 32 bits times fewer than 21.
  const share = drawn.length / 2 ** 32
  drawn.fill(0)
  for (let n = 0; n < numbers.length; n++) drawn[Math.floor(numbers[n]! * share)]! += 1
}

/** Between the k-th smallest and the k-th largest; few values cannot carry 95 %, and the level says so. */
export function percentileInterval(values: number[]): Interval | null {
  const v = values.length
  if (v < 2) return null
  const sorted = Float64Array.from(values).sort()
  // Where (v + 1) · 0.025 is whole, binary fractions must not lose it.
  const k = Math.max(1, Math.floor((v + 1) * TAIL + 1e-9))
  return { low: sorted[k - 1]!, high: sorted[v - k]!, level: Math.min(0.95, 1 - (2 * k) / (v + 1)) }
}

/** Numbers from 0 up to 1. */
export function randomNumbers(seed: Uint32Array): () => number {
  const [state, next] = [Int32Array.from(seed), new Uint32Array(1)]
  return () => {
    nextNumbers(state, next)
    return next[0]! / 2 ** 32
  }
}

/**
 * Numbers of 32 bits by Chris Doty-Humphrey’s sfc32 (PractRand), many at once: so its state need not be fetched for each.
 * @param state four numbers, a seed at first
 */
function nextNumbers(state: Int32Array, numbers: Uint32Array): void {
  // Not taken apart as an array: the loop would take three times as long.
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
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
