/** The decoder as the search sees it, one row per hypothesis. A step overwrites the scores of the one before. */
export interface DecoderState {
  readonly vocabularySize: number
  readonly startToken: number
  readonly endToken: number
  /** Feeds one token a row; returns the scores (logits) of every next token, row after row. */
  step(tokens: number[]): Promise<Float32Array>
  /** Makes row i what row `from[i]` was; the number of rows becomes `from.length`. */
  reorder(from: number[]): void
  /** The attention of a row's last step to each frame of its audio, if the model exposes it. */
  attention?(row: number): Float32Array
  /** The tokens that say the same as one (in another case, say), itself among them, where the model has such. */
  alike?(token: number): readonly number[]
}

/** The limits of a text. It has at least one token, because a search runs only on speech. */
export interface Limits {
  maxTokens: number
}

/** A finished search: the tokens without start and end, and whether an end token closed them (no loop, no limit). */
export interface Found {
  tokens: number[]
  /** Natural log-probability of each token, the end included. */
  logProbabilities: number[]
  /** Probability of each token and of all that say the same together. */
  certainties: number[]
  /** The attention of each token, the end included; empty if the model does not expose it. */
  attention: Float32Array[]
  ended: boolean
}

/** How probable a token of a row is together with those that say the same, by its own log-probability. */
export function certaintyOf(
  state: DecoderState,
  scores: Float32Array,
  start: number,
  { token, logProbability }: { token: number; logProbability: number },
): number {
  const own = scores[start + token]!
  const times = (state.alike?.(token) ?? [token]).reduce((sum, one) => sum + Math.exp(scores[start + one]! - own), 0)
  return Math.min(1, Math.exp(logProbability) * times)
}

/** Mean natural log-probability of a token, the end included. */
export const meanLogProbability = ({ logProbabilities }: Found): number =>
  logProbabilities.reduce((sum, one) => sum + one, 0) / Math.max(1, logProbabilities.length)

/** Log of the sum of exponentials of a row. Scores 20 below the best would change it by less than 0.007 %. */
export function logSumExp(scores: Float32Array, start: number, end: number, best: number): number {
  let sum = 0
  const floor = best - 20
  for (let i = start; i < end; i++) {
    const score = scores[i]!
    if (score > floor) sum += Math.exp(score - best)
  }
  return best + Math.log(sum)
}

/** A phrase of up to so many tokens, said so often in a row, is a decoder going round in circles. */
const LONGEST_LOOP = 10
const FEWEST_TURNS = 4
/** A single token may come more often: "eight eight eight eight …" is a telephone number. */
const FEWEST_LOOPED = 10

/** How many tokens at the end say the same phrase again and again, its first saying not counted; 0 if they do not. */
export function loopAtEnd(tokens: number[]): number {
  for (let period = 1; period <= LONGEST_LOOP; period++) {
    const turns = Math.max(FEWEST_TURNS, Math.ceil(FEWEST_LOOPED / period))
    const needed = period * (turns - 1)
    let same = 0
    for (let at = tokens.length - 1; at >= period && tokens[at] === tokens[at - period]; at--) same++
    if (same >= needed) return same
  }
  return 0
}
