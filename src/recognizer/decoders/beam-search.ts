import {
  computeTokenCertainty,
  computeLogSumExp,
  countLoopedTokens,
  type TokenDecoderState,
  type DecoderHypothesis,
  type TokenSearchLimits,
} from './search.ts'

interface Beam extends DecoderHypothesis {
  sum: number
}

interface Candidate {
  parent: number
  token: number
  sum: number
}

/**
 * Searches the best text and keeps the `width` best unfinished hypotheses after each step. Finished hypotheses are ranked by
 * log-probability divided by length to the power `lengthPower` (similar to Wu et al. 2016, section 7), because short texts would
 * win otherwise. The search ends when no unfinished hypothesis beats the best finished one, at `maxTokens`, or on abort.
 */
export async function runBeamSearch(
  state: TokenDecoderState,
  { width, lengthPower, maxTokens }: TokenSearchLimits & { width: number; lengthPower: number },
  signal: AbortSignal,
): Promise<DecoderHypothesis> {
  const normaliseScore = (beam: Beam) => beam.sum / (beam.tokens.length + 1) ** lengthPower
  let beams: Beam[] = [{ tokens: [], logProbabilities: [], certainties: [], attention: [], sum: 0, ended: false }]
  let best: Beam | undefined
  for (let length = 0; length < maxTokens; length++) {
    if (signal.aborted) break
    const scores = await state.step(beams.map((beam) => beam.tokens.at(-1) ?? state.startToken))
    if (length === 0) scores[state.endToken] = -Infinity
    const next: (Beam & { parent: number })[] = []
    // Twice the width: even if every hypothesis ends at this step, `width` others continue.
    for (const { parent, token, sum } of selectCandidates(scores, state.vocabularySize, beams, width * 2)) {
      const { tokens, ...before } = beams[parent]!
      const logProbability = sum - before.sum
      const logProbabilities = [...before.logProbabilities, logProbability]
      const start = parent * state.vocabularySize
      const certainties = [
        ...before.certainties,
        computeTokenCertainty(state, scores, start, { token, logProbability }),
      ]
      const attention = state.attention ? [...before.attention, state.attention(parent)] : []
      const beam = { logProbabilities, certainties, attention, sum }
      if (token === state.endToken) {
        const ended = { ...beam, tokens, ended: true }
        if (!best || normaliseScore(ended) > normaliseScore(best)) best = ended
      } else if (next.length < width && countLoopedTokens([...tokens, token]) === 0) {
        next.push({ ...beam, tokens: [...tokens, token], ended: false, parent })
      }
    }
    if (next.length === 0) break
    if (best && normaliseScore(next[0]!) <= normaliseScore(best)) break
    state.reorder(next.map((beam) => beam.parent))
    beams = next
  }
  return best ?? beams[0]!
}

function selectCandidates(scores: Float32Array, vocabularySize: number, beams: Beam[], count: number): Candidate[] {
  const candidates: Candidate[] = []
  beams.forEach((beam, parent) => {
    const start = parent * vocabularySize
    const end = start + vocabularySize
    let top = scores[start]!
    for (let i = start; i < end; i++) if (scores[i]! > top) top = scores[i]!
    const offset = beam.sum - computeLogSumExp(scores, start, end, top)
    for (let i = start; i < end; i++) {
      const sum = scores[i]! + offset
      if (candidates.length === count && sum <= candidates[count - 1]!.sum) continue
      let at = candidates.length
      while (at > 0 && candidates[at - 1]!.sum < sum) at--
      candidates.splice(at, 0, { parent, token: i - start, sum })
      if (candidates.length > count) candidates.pop()
    }
  })
  return candidates
}
