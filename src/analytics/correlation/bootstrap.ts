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
  const groupAt = Int32Array.from(sorted.order, (deal) => group[deal]!)
  const random = randomNumbers(seed)
  const [drawn, weights] = [new Float64Array(count), new Float64Array(groupAt.length)]
  const shares: number[] = []
  for (let n = 0; n < replicates; n++) {
    drawn.fill(0)
    for (let draw = 0; draw < count; draw++) drawn[Math.floor(random() * count)]! += 1
    for (let place = 0; place < weights.length; place++) weights[place] = drawn[groupAt[place]!]!
    const share = shareOf(concordance(sorted, weights))
    if (share !== null) shares.push(share)
  }
  const voids = replicates - shares.length
  const interval = voids > MOST_VOID * replicates ? null : percentileInterval(shares)
  return { requested: replicates, valid: shares.length, void: voids, interval }
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

/** Numbers from 0 up to 1, by Chris Doty-Humphrey’s sfc32 (PractRand). */
export function randomNumbers(seed: Uint32Array): () => number {
  let [a, b, c, d] = [seed[0]! | 0, seed[1]! | 0, seed[2]! | 0, seed[3]! | 0]
  return () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return (t >>> 0) / 4_294_967_296
  }
}
