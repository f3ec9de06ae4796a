import {
  selectBestToken,
  CTC_BLANK_TOKEN,
  CTC_TOKEN_COUNT,
  RUSSIAN_ALPHABET,
  countTokenRows,
  CTC_SPACE_TOKEN,
} from './alphabet.ts'
import { normaliseLogProbabilities } from './normalise.ts'

/** Returns the text of the best token of each frame. Merges repeated tokens, drops blanks and trims spaces. */
export function decodeCtcGreedily(matrix: Float32Array): string {
  const rows = countTokenRows(matrix)
  let text = ''
  let last = CTC_BLANK_TOKEN
  for (let row = 0; row < rows; row++) {
    const token = selectBestToken(matrix, row)
    if (token !== last && token !== CTC_BLANK_TOKEN) text += token === CTC_SPACE_TOKEN ? ' ' : RUSSIAN_ALPHABET[token]!
    last = token
  }
  return text.trim()
}

/**
 * Returns the natural-log probability of the path that `decodeCtcGreedily` takes, after the same normalisation as in beam search.
 */
export function scoreGreedyPath(matrix: Float32Array): number {
  const values = new Float32Array(matrix.length)
  normaliseLogProbabilities(matrix, values)
  let score = 0
  for (let row = 0; row < countTokenRows(values); row++)
    score += values[row * CTC_TOKEN_COUNT + selectBestToken(values, row)]!
  return score
}
