import {
  computeTokenCertainty,
  computeLogSumExp,
  countLoopedTokens,
  type TokenDecoderState,
  type DecoderHypothesis,
  type TokenSearchLimits,
} from './search.ts'

/**
 * Appends the best token to each row in each step. Removes rows that are finished, aborted, in a loop or at their limit.
 * @param limits the limits of each row
 * @param onDone called with a hypothesis that is not aborted, its number and its row, before the row is removed from the state
 * @returns the hypothesis of each row, in the order of `limits`
 */
export async function runGreedySearch(
  state: TokenDecoderState,
  limits: TokenSearchLimits[],
  signals: AbortSignal[],
  onDone: (found: DecoderHypothesis, number: number, row: number) => void = () => {},
): Promise<DecoderHypothesis[]> {
  const found = limits.map((): DecoderHypothesis => ({
    tokens: [],
    logProbabilities: [],
    certainties: [],
    attention: [],
    ended: false,
  }))
  const isDone = (row: number) => {
    const { tokens, ended } = found[row]!
    return ended || tokens.length >= limits[row]!.maxTokens || countLoopedTokens(tokens) > 0
  }
  let rows = limits.map((_, row) => row)
  while (true) {
    const activeRows = rows.filter((row) => !isDone(row) && !signals[row]!.aborted)
    if (activeRows.length === 0) return found
    if (activeRows.length < rows.length) {
      state.reorder(activeRows.map((row) => rows.indexOf(row)))
      rows = activeRows
    }
    const scores = await state.step(rows.map((row) => found[row]!.tokens.at(-1) ?? state.startToken))
    rows.forEach((row, index) => {
      appendBestToken(state, scores, index, found[row]!)
      if (isDone(row)) onDone(found[row]!, row, index)
    })
  }
}

function appendBestToken(
  state: TokenDecoderState,
  scores: Float32Array,
  index: number,
  found: DecoderHypothesis,
): void {
  const start = index * state.vocabularySize
  const end = start + state.vocabularySize
  if (found.tokens.length === 0) scores[start + state.endToken] = -Infinity
  let best = start
  for (let i = start + 1; i < end; i++) if (scores[i]! > scores[best]!) best = i
  const logProbability = scores[best]! - computeLogSumExp(scores, start, end, scores[best]!)
  found.logProbabilities.push(logProbability)
  found.certainties.push(computeTokenCertainty(state, scores, start, { token: best - start, logProbability }))
  if (state.attention) found.attention.push(state.attention(index))
  if (best - start === state.endToken) found.ended = true
  else found.tokens.push(best - start)
}
