import { COLUMNS, rowsOf } from './alphabet.ts'

const LEAST_PROBABILITY = 1e-15
const LEAST = Math.fround(Math.log(LEAST_PROBABILITY))

/** Natural logs from ln 1e-15 to 0, like pyctcdecode: log-softmax, unless rows average exactly 1. */
export function normalise(matrix: Float32Array, into: Float32Array): void {
  const rows = rowsOf(matrix)
  if (holdsProbabilities(matrix, rows)) {
    for (let i = 0; i < matrix.length; i++) {
      into[i] = Math.log(Math.min(1, Math.max(Math.fround(LEAST_PROBABILITY), matrix[i]!)))
    }
    return
  }
  for (let row = 0; row < rows; row++) logSoftmax(matrix, row * COLUMNS, into)
}

function holdsProbabilities(matrix: Float32Array, rows: number): boolean {
  const sums = new Float32Array(rows)
  for (let row = 0; row < rows; row++) sums[row] = pairwiseSum(matrix, row * COLUMNS, COLUMNS)
  const mean = Math.fround(pairwiseSum(sums, 0, rows) / rows)
  return Math.abs(mean - 1) <= 1e-9
}

function logSoftmax(matrix: Float32Array, start: number, into: Float32Array): void {
  let most = -Infinity
  for (let i = start; i < start + COLUMNS; i++) most = Math.max(most, matrix[i]!)
  if (!Number.isFinite(most)) most = 0
  for (let i = start; i < start + COLUMNS; i++) exponentials[i - start] = Math.exp(Math.fround(matrix[i]! - most))
  const logSum = Math.fround(Math.log(pairwiseSum(exponentials, 0, COLUMNS)))
  for (let i = start; i < start + COLUMNS; i++) {
    const value = Math.fround(Math.fround(matrix[i]! - most) - logSum)
    into[i] = Math.min(0, Math.max(LEAST, value))
  }
}
const exponentials = new Float32Array(COLUMNS)

/** Sums like NumPy: the order of additions decides the last bit, and whether rows average exactly 1. */
function pairwiseSum(values: Float32Array, start: number, count: number): number {
  if (count > 128) {
    const half = Math.floor(count / 16) * 8
    return Math.fround(pairwiseSum(values, start, half) + pairwiseSum(values, start + half, count - half))
  }
  const whole = count < 8 ? 0 : count - (count % 8)
  lanes.fill(0)
  for (let i = 0; i < whole; i++) lanes[i % 8]! += values[start + i]!
  const front = Math.fround(Math.fround(lanes[0]! + lanes[1]!) + Math.fround(lanes[2]! + lanes[3]!))
  const back = Math.fround(Math.fround(lanes[4]! + lanes[5]!) + Math.fround(lanes[6]! + lanes[7]!))
  let sum = Math.fround(front + back)
  for (let i = whole; i < count; i++) sum = Math.fround(sum + values[start + i]!)
  return sum
}
const lanes = new Float32Array(8)
