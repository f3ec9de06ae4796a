import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reference answers that tests read; see the README there. */
export const FIXTURES_FOLDER = 'src/recognizer/fixtures'

/** A JSON file of the fixtures. */
export function loadFixture<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(FIXTURES_FOLDER, ...path), 'utf8')) as T
}

/** A matrix of the fixtures: little-endian float32 without a header. */
export function loadFixtureMatrix(...path: string[]): Float32Array {
  const bytes = readFileSync(join(FIXTURES_FOLDER, ...path))
  return new Float32Array(new Uint8Array(bytes).buffer)
}

/** Numbers from 0 to 1 that are the same on every run (xorshift). */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Feeds a stream in chunks of ten frames; `take` gets each chunk, its number and whether it is the last. */
export function forEachChunk(
  rows: Float32Array,
  take: (chunk: Float32Array, index: number, last: boolean) => void,
): void {
  const step = 10 * 35
  for (let at = 0; at < rows.length; at += step) take(rows.subarray(at, at + step), at / step, at + step >= rows.length)
}
