import { NO_TREE_NODE } from './token-tree.ts'

/** Steps from a beam to a candidate. A step below 34 is the token that it appends. These two steps append nothing. */
export const CANDIDATE_STEP_BLANK = 34
export const CANDIDATE_STEP_REPEAT = 35
const STEP_BITS = 6
/** Number of candidate keys per beam: one for each of the 36 steps. */
export const CANDIDATE_KEYS_PER_BEAM = 36

/** The candidates of one frame: every beam extended with every considered token, merged by text. */
export class CtcCandidateArrays {
  count = 0
  /** Natural log of the summed probability of all paths to the text. */
  readonly acoustic: Float64Array
  readonly language: Float64Array
  readonly total: Float64Array
  private readonly sources: Int32Array
  private readonly keys: Int32Array
  /** Index of the candidate for each key, or NO_TREE_NODE. */
  private readonly candidateOf: Int32Array

  constructor(beamWidth: number) {
    const capacity = beamWidth * CANDIDATE_KEYS_PER_BEAM
    this.acoustic = new Float64Array(capacity)
    this.language = new Float64Array(capacity)
    this.total = new Float64Array(capacity)
    this.sources = new Int32Array(capacity)
    this.keys = new Int32Array(capacity)
    this.candidateOf = new Int32Array(capacity).fill(NO_TREE_NODE)
  }

  /** Adds a path to a text. If the text already has a candidate, adds the path's probability to it. */
  add(key: number, beam: number, step: number, acoustic: number, language: number): void {
    const known = this.candidateOf[key]!
    if (known !== NO_TREE_NODE) {
      this.acoustic[known] = addLogProbabilities(this.acoustic[known]!, acoustic)
      return
    }
    const added = this.count++
    this.candidateOf[key] = added
    this.keys[added] = key
    this.sources[added] = (beam << STEP_BITS) | step
    this.acoustic[added] = acoustic
    this.language[added] = language
  }

  /**
   * Computes the total scores.
   * @returns the best total
   */
  computeTotals(): number {
    const { acoustic, language, total, count } = this
    let best = -Infinity
    for (let i = 0; i < count; i++) {
      const sum = acoustic[i]! + language[i]!
      total[i] = sum
      if (sum > best) best = sum
    }
    return best
  }

  beam(candidate: number): number {
    return this.sources[candidate]! >> STEP_BITS
  }

  step(candidate: number): number {
    return this.sources[candidate]! & ((1 << STEP_BITS) - 1)
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.candidateOf[this.keys[i]!] = NO_TREE_NODE
    this.count = 0
  }
}

/** Returns ln(e^a + e^b) without overflow. */
export function addLogProbabilities(a: number, b: number): number {
  const larger = a >= b ? a : b
  const distance = a >= b ? b - a : a - b
  // Below -37, 1 + e^distance rounds to 1 in double precision.
  return distance < -37 ? larger : larger + Math.log(1 + Math.exp(distance))
}
