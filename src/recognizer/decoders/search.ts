/** The decoder model as the search uses it, with one row per hypothesis. A step can overwrite the scores of the previous step. */
export interface TokenDecoderState {
  readonly vocabularySize: number
  readonly startToken: number
  readonly endToken: number
  /** Feeds one token per row. Returns the logits of every next token, row after row. */
  step(tokens: number[]): Promise<Float32Array>
  /** Row i becomes the previous row `from[i]`. The number of rows becomes `from.length`. */
  reorder(from: number[]): void
  /** Returns the attention of a row's last step to each frame of the audio. Absent if the model does not output attention. */
  attention?(row: number): Float32Array
  /** Returns the tokens that spell the same text, for example in another case, including the token itself. */
  getTokenVariants?(token: number): readonly number[]
}

/** Limits of a decoder text. The minimum is always one token, because the search runs only on speech. */
export interface TokenSearchLimits {
  maxTokens: number
}

/**
 * A text of the decoder. `tokens` excludes the start and end tokens. `ended` is false if the search stopped in a loop, at the
 * limit or on abort.
 */
export interface DecoderHypothesis {
  tokens: number[]
  /** Natural log-probability of each token, including the end token. */
  logProbabilities: number[]
  /** Probability of each token including its variants, which spell the same text. */
  certainties: number[]
  /** Attention of each token, including the end token. Empty if the model does not output attention. */
  attention: Float32Array[]
  ended: boolean
}

/**
 * Returns the probability of a token including its variants, which spell the same text.
 * @param start index of the row's first score in `scores`
 */
export function computeTokenCertainty(
  state: TokenDecoderState,
  scores: Float32Array,
  start: number,
  { token, logProbability }: { token: number; logProbability: number },
): number {
  const own = scores[start + token]!
  const times = (state.getTokenVariants?.(token) ?? [token]).reduce(
    (sum, one) => sum + Math.exp(scores[start + one]! - own),
    0,
  )
  return Math.min(1, Math.exp(logProbability) * times)
}

/** Returns the mean natural log-probability per token, including the end token. */
export const computeMeanLogProbability = ({ logProbabilities }: DecoderHypothesis): number =>
  logProbabilities.reduce((sum, one) => sum + one, 0) / Math.max(1, logProbabilities.length)

/**
 * Returns the log of the sum of exponentials of a row. Skips scores that are 20 below the best one. With 32,768 tokens, the sum
 * changes by less than 0.007 %.
 */
export function computeLogSumExp(scores: Float32Array, start: number, end: number, best: number): number {
  let sum = 0
  const floor = best - 20
  for (let i = start; i < end; i++) {
    const score = scores[i]!
    if (score > floor) sum += Math.exp(score - best)
  }
  return best + Math.log(sum)
}

/** The decoder is in a loop if a phrase of up to MAX_LOOP_PERIOD tokens occurs MIN_LOOP_REPEATS times at the end. */
const MAX_LOOP_PERIOD = 10
const MIN_LOOP_REPEATS = 4
/** A loop has at least this many tokens, because a phone number can contain "eight eight eight eight". */
const MIN_LOOPED_TOKENS = 10

/** Returns how many tokens at the end repeat a phrase, without its first occurrence. Returns 0 without a loop. */
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
