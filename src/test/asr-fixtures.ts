import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder with reference results of the recognizer; its README explains them. */
export const RECOGNIZER_FIXTURES_FOLDER = 'src/recognizer/fixtures'

/**
 * Loads a JSON file of the recognizer's fixtures.
 * @param path segments below RECOGNIZER_FIXTURES_FOLDER
 */
export function loadRecognizerFixture<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(RECOGNIZER_FIXTURES_FOLDER, ...path), 'utf8')) as T
}

/** Loads a matrix of the recognizer's fixtures, stored as little-endian float32 without a header. */
export function loadRecognizerFixtureMatrix(...path: string[]): Float32Array {
  const bytes = readFileSync(join(RECOGNIZER_FIXTURES_FOLDER, ...path))
  return new Float32Array(new Uint8Array(bytes).buffer)
}

/** Calls `take` for each chunk of ten frames, with the index of the chunk and whether it is the last. */
export function forEachFrameChunk(
  rows: Float32Array,
  take: (chunk: Float32Array, index: number, last: boolean) => void,
): void {
  const step = 10 * 35
  for (let at = 0; at < rows.length; at += step) take(rows.subarray(at, at + step), at / step, at + step >= rows.length)
}
