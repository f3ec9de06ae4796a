import { LanguageModelError } from './error.ts'
import type { NgramHashKey } from './hash.ts'
import type { KenlmModelHeader, ModelFileLayout } from './header.ts'
import type { KenlmModelMemory } from './memory.ts'
import { countSignificantBits, parseTriePointers, type TriePointers } from './trie-pointers.ts'
import { FLOAT32_SIGN_BIT, type NgramTables } from './tables.ts'

const QUANTISATION_VERSION = 2

interface TrieRows {
  /** Offset of the first row in bits from the start of the file. */
  firstBit: number
  rowBits: number
  /** Absent for the longest n-grams. */
  pointers?: TriePointers
  /** Index, in 32-bit words, of the list of probabilities in a quantised model. `backoffs` is the index of the backoffs. */
  probabilities: number
  backoffs: number
}

/** The tables of types 2 to 5: a trie whose first level has the newest word. Each deeper level has an older word. */
export class NgramTrieTables implements NgramTables {
  readonly found = new Int32Array(2)
  extendsLeft = false
  private readonly memory: KenlmModelMemory
  private readonly order: number
  private readonly counts: number[]
  private readonly hashes: number
  private readonly hashCount: number
  private readonly unigrams: number
  private readonly wordBits: number
  /** Bits per quantised value, or 0 if the rows contain the values themselves. */
  private probabilityBits = 0
  private backoffBits = 0
  /** By n-gram length, from 2 to the order. */
  private readonly rows: TrieRows[] = []
  /** The first row that extends the last n-gram found. `end` is the row after the last one. */
  private begin = 0
  private end = 0

  constructor(memory: KenlmModelMemory, header: KenlmModelHeader, layout: ModelFileLayout) {
    this.memory = memory
    this.order = header.order
    this.counts = header.counts
    const words = header.counts[0]!
    this.wordBits = countSignificantBits(words)
    const vocabulary = layout.take(8 + 8 * words, 'vocabulary') / 4
    this.hashCount = memory.long(vocabulary)
    this.hashes = vocabulary + 2
    if (this.hashCount > words) throw new LanguageModelError('its vocabulary is damaged')
    if (header.quantised) this.takeValueLists(layout)
    this.unigrams = layout.take(16 * (words + 2), 'table of words') / 4
    this.takeRows(header, layout)
  }

  wordId(hash: NgramHashKey): number {
    let low = 0
    let high = this.hashCount
    const hi = hash.hi >>> 0
    const lo = hash.lo >>> 0
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = this.hashes + 2 * middle
      const middleHi = this.memory.word(at + 1) >>> 0
      const middleLo = this.memory.word(at) >>> 0
      if (middleHi === hi && middleLo === lo) return middle + 1
      if (middleHi < hi || (middleHi === hi && middleLo < lo)) low = middle + 1
      else high = middle
    }
    return 0
  }

  findUnigram(word: number): void {
    const at = this.unigrams + 4 * word
    this.found[0] = this.memory.word(at)
    this.found[1] = this.memory.word(at + 1)
    this.setRange(this.memory.long(at + 2), this.memory.long(at + 6), 2)
  }

  findMiddle(word: number, length: number): boolean {
    const rows = this.rows[length]!
    const row = this.findRow(rows, word)
    if (row < 0) return false
    let at = rows.firstBit + row * rows.rowBits + this.wordBits
    if (this.probabilityBits > 0) {
      this.found[1] = this.readListedValue(rows.backoffs, at, this.backoffBits)
      this.found[0] = this.readListedValue(rows.probabilities, at + this.backoffBits, this.probabilityBits)
      at += this.backoffBits + this.probabilityBits
    } else {
      this.found[0] = this.memory.bits(at, 31) | FLOAT32_SIGN_BIT
      this.found[1] = this.memory.bits(at + 31, 32)
      at += 63
    }
    const pointers = rows.pointers!
    this.setRange(pointers.begin(at, row), pointers.end(at + rows.rowBits, row + 1), length + 1)
    return true
  }

  findLongest(word: number): boolean {
    const rows = this.rows[this.order]!
    const row = this.findRow(rows, word)
    if (row < 0) return false
    const at = rows.firstBit + row * rows.rowBits + this.wordBits
    this.found[0] =
      this.probabilityBits > 0
        ? this.readListedValue(rows.probabilities, at, this.probabilityBits)
        : this.memory.bits(at, 31) | FLOAT32_SIGN_BIT
    return true
  }

  private setRange(begin: number, end: number, length: number): void {
    this.begin = begin
    // A damaged pointer can be so large that the binary search would never end.
    this.end = Math.min(end, this.counts[length - 1]!)
    this.extendsLeft = begin < this.end
  }

  /** Returns the row of `word` among the rows that extend the last n-gram, or -1. */
  private findRow(rows: TrieRows, word: number): number {
    let low = this.begin
    let high = this.end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const there = this.memory.bits(rows.firstBit + middle * rows.rowBits, this.wordBits) >>> 0
      if (there === word) return middle
      if (there < word) low = middle + 1
      else high = middle
    }
    return -1
  }

  /** Returns a value of a list as bits of float32. The index in the list is in the `width` bits from bit `at`. */
  private readListedValue(list: number, at: number, width: number): number {
    return this.memory.word(list + this.memory.wideBits(at, width))
  }

  private takeValueLists(layout: ModelFileLayout): void {
    const start = layout.take(8, 'table of quantised values') / 4
    const [version, probabilityBits, backoffBits] = [0, 8, 16].map((shift) => (this.memory.word(start) >>> shift) & 255)
    if (version !== QUANTISATION_VERSION) {
      throw new LanguageModelError(`its quantised values have the unknown version ${version}`)
    }
    if (!probabilityBits || probabilityBits > 25 || backoffBits! > 25) {
      throw new LanguageModelError(`its header is damaged: ${probabilityBits} and ${backoffBits} bits a value`)
    }
    this.probabilityBits = probabilityBits
    this.backoffBits = backoffBits!
    for (let length = 2; length <= this.order; length++) {
      const part = `values of ${length}-grams`
      const probabilities = layout.take(4 * 2 ** probabilityBits, part) / 4
      const backoffs = length < this.order ? layout.take(4 * 2 ** this.backoffBits, part) / 4 : 0
      this.rows[length] = { firstBit: 0, rowBits: 0, probabilities, backoffs }
    }
  }

  private takeRows(header: KenlmModelHeader, layout: ModelFileLayout): void {
    const { order, counts } = header
    const middleBits = this.probabilityBits > 0 ? this.probabilityBits + this.backoffBits : 63
    const longestBits = this.probabilityBits > 0 ? this.probabilityBits : 31
    for (let length = 2; length <= order; length++) {
      const part = `table of ${length}-grams`
      const rows = (this.rows[length] ??= { firstBit: 0, rowBits: 0, probabilities: 0, backoffs: 0 })
      rows.rowBits = this.wordBits + (length < order ? middleBits : longestBits)
      if (length < order) {
        rows.pointers = parseTriePointers(this.memory, header, length, layout, this.rows[2]!.pointers)
        rows.rowBits += rows.pointers.inlineBits
      }
      const bytes = Math.floor(((1 + counts[length - 1]!) * rows.rowBits + 7) / 8) + 8
      rows.firstBit = layout.take(bytes, part) * 8
    }
  }
}
