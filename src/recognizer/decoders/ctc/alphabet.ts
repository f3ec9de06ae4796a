/** Columns of the model's output: 33 letters, then the space, then the blank. */
export const ALPHABET = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
export const SPACE_TOKEN = 33
export const BLANK_TOKEN = 34
export const TOKEN_COUNT = 35

/**
 * Returns the number of rows of a matrix with one column per token.
 * @throws RangeError if the last row is incomplete
 */
export function countRows(matrix: Float32Array): number {
  if (matrix.length % TOKEN_COUNT !== 0) {
    throw new RangeError(`A matrix has rows of ${TOKEN_COUNT} numbers; ${matrix.length} numbers make no whole rows`)
  }
  return matrix.length / TOKEN_COUNT
}

/** Returns the column with the maximum of a row. If several are equal, the first one wins. */
export function findBestToken(matrix: Float32Array, row: number): number {
  const start = row * TOKEN_COUNT
  let best = 0
  for (let token = 1; token < TOKEN_COUNT; token++) {
    if (matrix[start + token]! > matrix[start + best]!) best = token
  }
  return best
}
