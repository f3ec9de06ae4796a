import { findBestToken, BLANK_TOKEN, TOKEN_COUNT, ALPHABET, countRows, SPACE_TOKEN } from './alphabet.ts'
import { normaliseLogProbabilities } from './normalise.ts'

/** Returns the text of the best token of each frame. Merges repeated tokens, drops blanks and trims spaces. */
export function decodeGreedy(matrix: Float32Array): string {
  const rows = countRows(matrix)
  let text = ''
  let last = BLANK_TOKEN
  for (let row = 0; row < rows; row++) {
    const token = findBestToken(matrix, row)
    if (token !== last && token !== BLANK_TOKEN) text += token === SPACE_TOKEN ? ' ' : ALPHABET[token]!
    last = token
  }
  return text.trim()
}

/**
 * Returns the natural-log probability of the path that `decodeCtcGreedily` takes, after the same normalisation as in beam search.
 */
export function scoreBestPath(matrix: Float32Array): number {
  const values = new Float32Array(matrix.length)
  normaliseLogProbabilities(matrix, values)
  let score = 0
  for (let row = 0; row < countRows(values); row++) score += values[row * TOKEN_COUNT + findBestToken(values, row)]!
  return score
}
