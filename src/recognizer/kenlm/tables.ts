import type { NgramHashKey } from './hash.ts'

/**
 * Looks up an n-gram word by word, from the newest to the oldest. Call `findUnigram()`, then `findMiddle()` for lengths 2 to
 * order - 1, then `findLongest()`.
 */
export interface NgramTables {
  /** Log10 probability and backoff of the last n-gram found, as bits of float32. */
  readonly found: Int32Array
  /** False if no longer n-gram ends with the last match. */
  extendsLeft: boolean
  wordId(hash: NgramHashKey): number
  findUnigram(word: number): void
  /** Finds the n-gram of `length` words. Returns false without a match. */
  findMiddle(word: number, length: number): boolean
  /** Finds the n-gram of the model's order, which has only a probability. Returns false without a match. */
  findLongest(word: number): boolean
}

/** Sign bit of a float32. Set it to restore stored probabilities, which are never positive. */
export const FLOAT32_SIGN_BIT = 0x80000000 | 0
