import type { HashKey } from './hash.ts'

/** Looks up n-grams from the newest word: `findUnigram()`, `findMiddle()` for lengths 2 to order - 1, then `findLongest()`. */
export interface NgramTables {
  /** [log10 probability, backoff] of the n-gram found last, as bits of float32. */
  readonly found: Int32Array
  /** False if no longer n-gram ends in the last match. */
  extendsLeft: boolean
  /** Id of the word with this hash, 0 if unknown. */
  wordId(hash: HashKey): number
  findUnigram(word: number): void
  /** Finds the n-gram of `length` words; false without a match. */
  findMiddle(word: number, length: number): boolean
  /** Finds the n-gram of the model's order (only a probability); false without a match. */
  findLongest(word: number): boolean
}

/** Sign bit of a float32: probabilities are never positive. */
export const SIGN_BIT = 0x80000000 | 0
