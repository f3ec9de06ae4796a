import { certaintyOf, logSumExp, loopAtEnd, type DecoderState, type Found, type Limits } from './search.ts'

/**
 * Takes the best token of every step for all rows at once, and stops rows that loop. Drops finished and aborted rows.
 * @param onDone called with a result, its number, and its row in the state, which still exists
 */
export async function searchGreedy(
  state: DecoderState,
  limits: Limits[],
  signals: AbortSignal[],
  onDone: (found: Found, number: number, row: number) => void = () => {},
): Promise<Found[]> {
  const found = limits.map((): Found => ({
    tokens: [],
    logProbabilities: [],
    certainties: [],
    attention: [],
    ended: false,
  }))
  const isDone = (row: number) => {
    const { tokens, ended } = found[row]!
    return ended || tokens.length >= limits[row]!.maxTokens || loopAtEnd(tokens) > 0
  }
  let rows = limits.map((_, row) => row)
  while (true) {
    const going = rows.filter((row) => !isDone(row) && !signals[row]!.aborted)
    if (going.length === 0) return found
    if (going.length < rows.length) {
      state.reorder(going.map((row) => rows.indexOf(row)))
      rows = going
    }
    const scores = await state.step(rows.map((row) => found[row]!.tokens.at(-1) ?? state.startToken))
    rows.forEach((row, index) => {
      take(state, scores, index, found[row]!)
      if (isDone(row)) onDone(found[row]!, row, index)
    })
  }
}

function take(state: DecoderState, scores: Float32Array, index: number, found: Found): void {
  const start = index * state.vocabularySize
  const end = start + state.vocabularySize
  if (found.tokens.length === 0) scores[start + state.endToken] = -Infinity
  let best = start
  for (let i = start + 1; i < end; i++) if (scores[i]! > scores[best]!) best = i
  const logProbability = scores[best]! - logSumExp(scores, start, end, scores[best]!)
  found.logProbabilities.push(logProbability)
  found.certainties.push(certaintyOf(state, scores, start, { token: best - start, logProbability }))
  if (state.attention) found.attention.push(state.attention(index))
  if (best - start === state.endToken) found.ended = true
  else found.tokens.push(best - start)
}
