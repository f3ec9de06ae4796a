import { CTC_TOKEN_COUNT, countTokenRows } from './alphabet.ts'

const MIN_PROBABILITY = 1e-15
const MIN_LOG_PROBABILITY = Math.fround(Math.log(MIN_PROBABILITY))

/**
 * Writes natural logs from ln 1e-15 to 0 into `into`, like pyctcdecode. Takes the logs of probabilities if the rows sum to 1 on
 * average, otherwise applies log-softmax.
 */
export function normaliseLogProbabilities(matrix: Float32Array, into: Float32Array): void {
  const rows = countTokenRows(matrix)
  if (hasProbabilityRows(matrix, rows)) {
    for (let i = 0; i < matrix.length; i++) {
      into[i] = Math.log(Math.min(1, Math.max(Math.fround(MIN_PROBABILITY), matrix[i]!)))
    }
    return
  }
  for (let row = 0; row < rows; row++) applyLogSoftmax(matrix, row * CTC_TOKEN_COUNT, into)
}

function hasProbabilityRows(matrix: Float32Array, rows: number): boolean {
  const sums = new Float32Array(rows)
  for (let row = 0; row < rows; row++) sums[row] = sumPairwise(matrix, row * CTC_TOKEN_COUNT, CTC_TOKEN_COUNT)
  const mean = Math.fround(sumPairwise(sums, 0, rows) / rows)
  return Math.abs(mean - 1) <= 1e-9
}

function applyLogSoftmax(matrix: Float32Array, start: number, into: Float32Array): void {
  let maximum = -Infinity
  for (let i = start; i < start + CTC_TOKEN_COUNT; i++) maximum = Math.max(maximum, matrix[i]!)
  if (!Number.isFinite(maximum)) maximum = 0
  for (let i = start; i < start + CTC_TOKEN_COUNT; i++)
    exponentials[i - start] = Math.exp(Math.fround(matrix[i]! - maximum))
  const logSum = Math.fround(Math.log(sumPairwise(exponentials, 0, CTC_TOKEN_COUNT)))
  for (let i = start; i < start + CTC_TOKEN_COUNT; i++) {
    const value = Math.fround(Math.fround(matrix[i]! - maximum) - logSum)
    into[i] = Math.min(0, Math.max(MIN_LOG_PROBABILITY, value))
  }
}
const exponentials = new Float32Array(CTC_TOKEN_COUNT)

/** Sums in the same order as NumPy, because the last bit decides whether rows sum to exactly 1. */
function sumPairwise(values: Float32Array, start: number, count: number): number {
  if (count > 128) {
    const half = Math.floor(count / 16) * 8
    return Math.fround(sumPairwise(values, start, half) + sumPairwise(values, start + half, count - half))
  }
  const laneCount = count < 8 ? 0 : count - (count % 8)
  lanes.fill(0)
  for (let i = 0; i < laneCount; i++) lanes[i % 8]! += values[start + i]!
  const front = Math.fround(Math.fround(lanes[0]! + lanes[1]!) + Math.fround(lanes[2]! + lanes[3]!))
  const back = Math.fround(Math.fround(lanes[4]! + lanes[5]!) + Math.fround(lanes[6]! + lanes[7]!))
  let sum = Math.fround(front + back)
  for (let i = laneCount; i < count; i++) sum = Math.fround(sum + values[start + i]!)
  return sum
}
const lanes = new Float32Array(8)
