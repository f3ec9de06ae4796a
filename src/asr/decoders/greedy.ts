import { logSumExp, loopAtEnd, type DecoderState, type Found, type Limits } from './search.ts'

/** Takes the best token of every step; gives up when they begin to go round in circles. */
export async function searchGreedy(
  state: DecoderState,
  { maxTokens, mustSpeak }: Limits,
  signal: AbortSignal,
): Promise<Found> {
  const tokens: number[] = []
  let token = state.startToken
  let sum = 0
  while (tokens.length < maxTokens) {
    signal.throwIfAborted()
    const scores = await state.step([token])
    if (mustSpeak && tokens.length === 0) scores[state.endToken] = -Infinity
    token = 0
    for (let i = 1; i < state.vocabularySize; i++) if (scores[i]! > scores[token]!) token = i
    sum += scores[token]! - logSumExp(scores, 0, state.vocabularySize, scores[token]!)
    if (token === state.endToken) return { tokens, meanLogProbability: sum / (tokens.length + 1), ended: true }
    tokens.push(token)
    if (loopAtEnd(tokens) > 0) break
  }
  return { tokens, meanLogProbability: sum / Math.max(1, tokens.length), ended: false }
}
