/**
 * What a search needs of an autoregressive decoder. Row b of a step belongs to hypothesis b; all rows see the same
 * sound. A step's scores are overwritten by the next one.
 */
export interface DecoderState {
  readonly vocabularySize: number
  readonly startToken: number
  readonly endToken: number
  /** Feeds one token a row; answers the scores (logits) of every next token, row after row. */
  step(tokens: number[]): Promise<Float32Array>
  /** Makes row i what row `from[i]` was; the number of rows becomes `from.length`. */
  reorder(from: number[]): void
}

/** A finished search: the tokens without start and end, and whether an end token closed them. */
export interface Found {
  tokens: number[]
  /** Mean natural log-probability of a token, the end included. */
  meanLogProbability: number
  ended: boolean
}

/**
 * Natural logarithm of the sum of exponentials over one row. Scores more than 20 below the best are left out: even
 * 32,768 of them would move the sum by less than 0.007 %.
 */
export function logSumExp(scores: Float32Array, start: number, end: number, best: number): number {
  let sum = 0
  const floor = best - 20
  for (let i = start; i < end; i++) {
    const score = scores[i]!
    if (score > floor) sum += Math.exp(score - best)
  }
  return best + Math.log(sum)
}
