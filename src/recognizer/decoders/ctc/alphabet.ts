/** Columns of the model's output: 33 letters, the space, the blank. */
export const ALPHABET = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
export const SPACE_TOKEN = 33
export const BLANK_TOKEN = 34
export const TOKEN_COUNT = 35

/** The number of rows of a matrix. @throws RangeError if the last row is incomplete */
export function countRows(matrix: Float32Array): number {
  if (matrix.length % TOKEN_COUNT !== 0) {
    throw new RangeError(`A matrix has rows of ${TOKEN_COUNT} numbers; ${matrix.length} numbers make no whole rows`)
  }
  return matrix.length / TOKEN_COUNT
}

/** Column of the maximum of a row; the first one of equals. */
export function findBestToken(matrix: Float32Array, row: number): number {
  const start = row * TOKEN_COUNT
  let best = 0
  for (let token = 1; token < TOKEN_COUNT; token++) {
    if (matrix[start + token]! > matrix[start + best]!) best = token
  }
  return best
}
