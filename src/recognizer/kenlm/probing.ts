import { LanguageModelError } from './error.ts'
import { extendNgramKey, NgramHashKey } from './hash.ts'
import type { KenlmModelHeader, ModelFileLayout } from './header.ts'
import type { KenlmModelMemory } from './memory.ts'
import { FLOAT32_SIGN_BIT, type NgramTables } from './tables.ts'

/** The position and size of a hash table in the file. `stride` is the number of 32-bit words per slot. */
export interface NgramHashTable {
  /** Index of the first slot in 32-bit words from the start of the file. */
  base: number
  stride: number
  buckets: number
}

/** Returns the number of slots for `count` entries. The product is rounded to float32, as in KenLM. */
export function computeHashBucketCount(count: number, multiplier: number): number {
  return Math.max(count + 1, Math.floor(Math.fround(multiplier * Math.fround(count))))
}

/** Returns the key modulo `buckets`. Divides 16 bits at a time, so that every product is exact below 2^37 slots. */
export function computeFirstHashSlot(key: NgramHashKey, buckets: number): number {
  const inverse = 1 / buckets
  let rest = computeRemainder(key.hi >>> 0, buckets, inverse)
  rest = computeRemainder(rest * 65536 + (key.lo >>> 16), buckets, inverse)
  return computeRemainder(rest * 65536 + (key.lo & 0xffff), buckets, inverse)
}

function computeRemainder(value: number, divisor: number, inverse: number): number {
  const rest = value - Math.floor(value * inverse) * divisor
  // The rounded quotient can be too low or too high by one.
  if (rest < 0) return rest + divisor
  return rest >= divisor ? rest - divisor : rest
}

/**
 * Finds the slot of a key by linear probing up to an empty slot.
 * @returns the index of the slot in 32-bit words, or -1
 */
export function findHashSlot(memory: KenlmModelMemory, table: NgramHashTable, key: NgramHashKey): number {
  const { base, stride, buckets } = table
  let slot = computeFirstHashSlot(key, buckets)
  for (let probes = 0; probes < buckets; probes++) {
    const at = base + slot * stride
    const lo = memory.word(at)
    const hi = memory.word(at + 1)
    if (lo === 0 && hi === 0) return -1
    if (lo === key.lo && hi === key.hi) return at
    slot = slot + 1 === buckets ? 0 : slot + 1
  }
  return -1
}

/** The fields of the header that determine the layout of the hash tables. */
export type HashedKenlmHeader = Pick<KenlmModelHeader, 'order' | 'multiplier' | 'restCosts' | 'counts'>

/** The tables of types 0 and 1: one hash table for the vocabulary and one for each n-gram length. */
export class NgramProbingTables implements NgramTables {
  readonly found = new Int32Array(2)
  extendsLeft = false
  private readonly memory: KenlmModelMemory
  private readonly vocabulary: NgramHashTable
  private readonly unigrams: number
  private readonly unigramStride: number
  /** By n-gram length, from 2 to the order. */
  private readonly tables: NgramHashTable[] = []
  private readonly key = new NgramHashKey()

  constructor(memory: KenlmModelMemory, header: HashedKenlmHeader, layout: ModelFileLayout) {
    this.memory = memory
    const { counts, multiplier, order } = header
    const words = computeHashBucketCount(counts[0]!, multiplier)
    const start = layout.take(8 + 12 * words, 'vocabulary') / 4
    const version = memory.word(start)
    if (version !== 0) throw new LanguageModelError(`its vocabulary has the unknown version ${version}`)
    this.vocabulary = { base: start + 2, stride: 3, buckets: words }
    // A rest cost is a third number per entry. Scoring from left to right does not need it.
    const rest = header.restCosts ? 1 : 0
    this.unigramStride = 2 + rest
    this.unigrams = layout.take((counts[0]! + 1) * 4 * this.unigramStride, 'table of words') / 4
    for (let length = 2; length <= order; length++) {
      const stride = length === order ? 3 : 4 + rest
      const buckets = computeHashBucketCount(counts[length - 1]!, multiplier)
      const base = layout.take(buckets * 4 * stride, `table of ${length}-grams`) / 4
      this.tables[length] = { base, stride, buckets }
    }
  }

  wordId(hash: NgramHashKey): number {
    const at = findHashSlot(this.memory, this.vocabulary, hash)
    return at < 0 ? 0 : this.memory.word(at + 2) >>> 0
  }

  findUnigram(word: number): void {
    this.key.set(0, word)
    this.read(this.unigrams + word * this.unigramStride)
  }

  findMiddle(word: number, length: number): boolean {
    extendNgramKey(this.key, word)
    const at = findHashSlot(this.memory, this.tables[length]!, this.key)
    if (at < 0) return false
    this.read(at + 2)
    return true
  }

  findLongest(word: number): boolean {
    extendNgramKey(this.key, word)
    const at = findHashSlot(this.memory, this.tables[this.tables.length - 1]!, this.key)
    if (at < 0) return false
    this.found[0] = this.memory.word(at + 2)
    return true
  }

  /**
   * Copies the probability and the backoff at a position to `found`. Probabilities are never positive, so the file clears the
   * sign bit of n-grams that can be extended.
   */
  private read(at: number): void {
    const bits = this.memory.word(at)
    this.extendsLeft = bits >= 0
    this.found[0] = bits | FLOAT32_SIGN_BIT
    this.found[1] = this.memory.word(at + 1)
  }
}
