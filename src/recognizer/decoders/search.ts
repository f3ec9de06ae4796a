/** The decoder as the search sees it, one row per hypothesis. A step overwrites the scores of the one before. */
export interface DecoderState {
  readonly vocabularySize: number
  readonly startToken: number
  readonly endToken: number
  /** Feeds one token per row; returns the scores (logits) of every next token, row after row. */
  step(tokens: number[]): Promise<Float32Array>
  /** Row i becomes the former row `from[i]`; the number of rows becomes `from.length`. */
  reorder(from: number[]): void
  /** The attention of a row's last step to each frame of its audio, if the model exposes it. */
  attention?(row: number): Float32Array
  /** The tokens that spell the same (in another case, say), including the token itself, if the model has some. */
  listTokenVariants?(token: number): readonly number[]
}

/** The limits of a text. It has at least one token, because a search runs only on speech. */
export interface SearchLimits {
  maxTokens: number
}

/** A finished search: the tokens without start and end, and whether an end token closed them (no loop, no limit). */
export interface Hypothesis {
  tokens: number[]
  /** Natural log-probability of each token, the end included. */
  logProbabilities: number[]
  /** Probability of each token together with those that spell the same. */
  certainties: number[]
  /** The attention of each token, the end included; empty if the model does not expose it. */
  attention: Float32Array[]
  ended: boolean
}

/** The probability of a token together with those that spell the same, by its own log-probability. */
export function computeCertainty(
  state: DecoderState,
  scores: Float32Array,
  start: number,
  { token, logProbability }: { token: number; logProbability: number },
): number {
  const own = scores[start + token]!
  const times = (state.listTokenVariants?.(token) ?? [token]).reduce(
    (sum, one) => sum + Math.exp(scores[start + one]! - own),
    0,
  )
  return Math.min(1, Math.exp(logProbability) * times)
}

/** Mean natural log-probability per token, the end included. */
export const computeMeanLogProbability = ({ logProbabilities }: Hypothesis): number =>
  logProbabilities.reduce((sum, one) => sum + one, 0) / Math.max(1, logProbabilities.length)

/** Log of the sum of exponentials of a row. Scores 20 below the best would change it by less than 0.007 %. */
export function computeLogSumExp(scores: Float32Array, start: number, end: number, best: number): number {
  let sum = 0
  const floor = best - 20
  for (let i = start; i < end; i++) {
    const score = scores[i]!
    if (score > floor) sum += Math.exp(score - best)
  }
  return best + Math.log(sum)
}

/** A phrase of up to this many tokens, repeated so often in a row, is a loop of the decoder. */
const MAX_LOOP_PERIOD = 10
const MIN_LOOP_REPEATS = 4
/** A single token can repeat more often: "eight eight eight eight …" is a telephone number. */
const MIN_LOOPED_TOKENS = 10

/** The number of tokens at the end that repeat a phrase, without its first occurrence; 0 without a loop. */
export function countLoopedTokens(tokens: number[]): number {
  for (let period = 1; period <= MAX_LOOP_PERIOD; period++) {
    const repeats = Math.max(MIN_LOOP_REPEATS, Math.ceil(MIN_LOOPED_TOKENS / period))
    const needed = period * (repeats - 1)
    let same = 0
    for (let at = tokens.length - 1; at >= period && tokens[at] === tokens[at - period]; at--) same++
    if (same >= needed) return same
  }
  return 0
}
