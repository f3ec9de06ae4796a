import type { Key } from './hash.ts'

/** Looks up n-grams from the newest word: `unigram()`, `middle()` for lengths 2 to order - 1, then `longest()`. */
export interface NgramTables {
  /** [log10 probability, backoff] of the n-gram found last, as bits of float32. */
  readonly found: Int32Array
  /** False if no longer n-gram ends in the last match. */
  extendsLeft: boolean
  /** Id of the word with this hash, 0 if unknown. */
  wordId(hash: Key): number
  unigram(word: number): void
  /** Finds the n-gram of `length` words; false without a match. */
  middle(word: number, length: number): boolean
  /** Finds the n-gram of the model's order (only a probability); false without a match. */
  longest(word: number): boolean
}

/** Sign bit of a float32: probabilities are never positive. */
export const SIGN = 0x80000000 | 0
