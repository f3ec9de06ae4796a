/** Columns of the model's output: 33 letters, then the space, then the blank. */
export const RUSSIAN_ALPHABET = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
export const CTC_SPACE_TOKEN = 33
export const CTC_BLANK_TOKEN = 34
export const CTC_TOKEN_COUNT = 35

/**
 * Returns the number of rows of a matrix with one column per token.
 * @throws RangeError if the last row is incomplete
 */
export function countTokenRows(matrix: Float32Array): number {
  if (matrix.length % CTC_TOKEN_COUNT !== 0) {
    throw new RangeError(`A matrix has rows of ${CTC_TOKEN_COUNT} numbers; ${matrix.length} numbers make no whole rows`)
  }
  return matrix.length / CTC_TOKEN_COUNT
}

/** Returns the column with the maximum of a row. If several are equal, the first one wins. */
export function selectBestToken(matrix: Float32Array, row: number): number {
  const start = row * CTC_TOKEN_COUNT
  let best = 0
  for (let token = 1; token < CTC_TOKEN_COUNT; token++) {
    if (matrix[start + token]! > matrix[start + best]!) best = token
  }
  return best
}
