/** Columns of the model's output: 33 letters, the space, the blank. */
export const LETTERS = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
export const SPACE = 33
export const BLANK = 34
export const COLUMNS = 35

export function rowsOf(matrix: Float32Array): number {
  if (matrix.length % COLUMNS !== 0) {
    throw new RangeError(`A matrix has rows of ${COLUMNS} numbers; ${matrix.length} numbers make no whole rows`)
  }
  return matrix.length / COLUMNS
}

/** Column of the maximum of a row; the first one of equals. */
export function bestToken(matrix: Float32Array, row: number): number {
  const start = row * COLUMNS
  let best = 0
  for (let token = 1; token < COLUMNS; token++) {
    if (matrix[start + token]! > matrix[start + best]!) best = token
  }
  return best
}
