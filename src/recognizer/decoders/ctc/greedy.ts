import { bestToken, BLANK, COLUMNS, LETTERS, rowsOf, SPACE } from './alphabet.ts'
import { normalise } from './normalise.ts'

/** The text of the best token of every frame: repeats merged, blanks dropped, trimmed. */
export function decodeGreedily(matrix: Float32Array): string {
  const rows = rowsOf(matrix)
  let text = ''
  let last = BLANK
  for (let row = 0; row < rows; row++) {
    const token = bestToken(matrix, row)
    if (token !== last && token !== BLANK) text += token === SPACE ? ' ' : LETTERS[token]!
    last = token
  }
  return text.trim()
}

/** Natural-log probability of the path of `decodeGreedily`, by the numbers of the search. */
export function bestPathScore(matrix: Float32Array): number {
  const values = new Float32Array(matrix.length)
  normalise(matrix, values)
  let score = 0
  for (let row = 0; row < rowsOf(values); row++) score += values[row * COLUMNS + bestToken(values, row)]!
  return score
}
