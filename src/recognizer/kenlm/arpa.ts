import { readFileSync, statSync } from 'node:fs'
import { LanguageModelError } from './error.ts'
import { extendNgramKey, hashMurmur64, NgramHashKey } from './hash.ts'
import { ModelFileLayout } from './header.ts'
import { KenlmModelMemory } from './memory.ts'
import {
  computeHashBucketCount,
  findHashSlot,
  computeFirstHashSlot,
  NgramProbingTables,
  type HashedKenlmHeader,
  type NgramHashTable,
} from './probing.ts'

const MAX_ARPA_BYTES = 400 * 2 ** 20
const TABLE_MULTIPLIER = 1.5
/** Log10 probability of an unknown word if the file has no <unk>. */
const DEFAULT_UNKNOWN_LOG10 = -100

const encoder = new TextEncoder()

interface ArpaModel {
  order: number
  tables: NgramProbingTables
  /** All words except <unk>. */
  words: Set<string>
}

/**
 * Parses an ARPA text file into hash tables of the same layout as in a binary model of type 0.
 * @throws LanguageModelError if the file is larger than 400 MB, or with the number of an invalid line
 */
export function parseArpaFile(path: string): ArpaModel {
  const { size } = statSync(path)
  if (size > MAX_ARPA_BYTES) {
    throw new LanguageModelError(`ARPA text of ${size} bytes is too large to be kept in memory: make it binary`)
  }
  return new ArpaParser(readFileSync(path, 'utf8')).parse()
}

class ArpaParser {
  private readonly lines: string[]
  private line = 0
  private counts: number[] = []
  private readonly ids = new Map<string, number>([['<unk>', 0]])
  private ints = new Int32Array(0)
  private floats = new Float32Array(0)
  private memory = new KenlmModelMemory(0, [])
  private readonly tables: NgramHashTable[] = []
  private unigrams = 0
  private readonly key = new NgramHashKey()

  constructor(text: string) {
    this.lines = text.split('\n')
  }

  parse(): ArpaModel {
    this.parseCounts()
    const header = this.layOutTables()
    for (let length = 1; length <= header.order; length++) this.parseSection(length)
    if (this.nextLine() !== '\\end\\') throw this.error('\\end\\ is missing')
    const tables = new NgramProbingTables(this.memory, header, new ModelFileLayout(this.memory, 0))
    this.ids.delete('<unk>')
    return { order: header.order, tables, words: new Set(this.ids.keys()) }
  }

  private parseCounts(): void {
    this.nextLine()
    for (;;) {
      const match = /^ngram\s+(\d+)\s*=\s*(\d+)$/.exec(this.peekLine())
      if (!match) break
      this.nextLine()
      this.counts.push(Number(match[2]))
      if (Number(match[1]) !== this.counts.length) throw this.error('the lengths are not in order')
    }
    if (this.counts.length < 2) throw this.error('a model of order 2 or more is expected')
  }

  private layOutTables(): HashedKenlmHeader {
    const order = this.counts.length
    const buckets = this.counts.map((count) => computeHashBucketCount(count, TABLE_MULTIPLIER))
    let at = 2 + 3 * buckets[0]!
    this.tables[1] = { base: 2, stride: 3, buckets: buckets[0]! }
    this.unigrams = at
    at += 2 * (this.counts[0]! + 1)
    for (let length = 2; length <= order; length++) {
      this.tables[length] = { base: at, stride: length === order ? 3 : 4, buckets: buckets[length - 1]! }
      at += this.tables[length]!.stride * this.tables[length]!.buckets
    }
    this.ints = new Int32Array(at)
    this.floats = new Float32Array(this.ints.buffer)
    this.memory = new KenlmModelMemory(at * 4, [this.ints])
    this.floats[this.unigrams] = DEFAULT_UNKNOWN_LOG10
    return { order, multiplier: TABLE_MULTIPLIER, restCosts: false, counts: this.counts }
  }

  private parseSection(length: number): void {
    if (this.nextLine() !== `\\${length}-grams:`) throw this.error(`\\${length}-grams: is missing`)
    for (let i = 0; i < this.counts[length - 1]!; i++) {
      const fields = this.nextLine().split(/[\t ]+/)
      const [probability, backoff] = [Number(fields[0]), Number(fields[length + 1] ?? 0)]
      if (fields.length < length + 1 || fields.length > length + 2 || !(probability <= 0) || Number.isNaN(backoff)) {
        throw this.error(`no ${length}-gram with its log10 probability`)
      }
      const words = fields.slice(1, length + 1)
      const at = length === 1 ? this.addWord(words[0]!) : this.addNgram(words)
      this.floats[at] = probability
      // Clear the sign bit to mark each n-gram as extendable. Scores stay the same, but some lookups find nothing.
      if (probability === 0 && length < this.counts.length) this.ints[at] = 0
      else if (length < this.counts.length) this.ints[at]! &= 0x7fffffff
      if (length < this.counts.length) this.floats[at + 1] = backoff === 0 ? 0 : backoff
    }
  }

  /**
   * Adds a word and returns the position of its values.
   * @throws LanguageModelError if the word occurs twice, or if there are more words than the file declares
   */
  private addWord(word: string): number {
    const known = this.ids.get(word)
    if (known === 0) return this.unigrams
    if (known !== undefined) throw this.error(`${word} stands twice`)
    const id = this.ids.size
    if (id > this.counts[0]!) throw this.error('there are more words than counted')
    this.ids.set(word, id)
    const bytes = encoder.encode(word)
    hashMurmur64(bytes, bytes.length, this.key)
    this.ints[this.insert(this.tables[1]!) + 2] = id
    return this.unigrams + 2 * id
  }

  /**
   * Adds an n-gram of two or more words and returns the position of its values.
   * @throws LanguageModelError if the file has no entry for one of its words or for its last words
   */
  private addNgram(words: string[]): number {
    for (let i = words.length - 1; i >= 0; i--) {
      const id = this.ids.get(words[i]!)
      if (id === undefined) throw this.error(`${words[i]} is not among the single words`)
      if (i === words.length - 1) {
        this.key.set(0, id)
        continue
      }
      extendNgramKey(this.key, id)
      const shorter = words.length - i
      if (shorter < words.length && findHashSlot(this.memory, this.tables[shorter]!, this.key) < 0) {
        throw this.error(`its last ${shorter} words have no entry of their own`)
      }
    }
    return this.insert(this.tables[words.length]!) + 2
  }

  /**
   * Stores the current key in a free slot of a table.
   * @returns the index of the slot in 32-bit words
   */
  private insert({ base, stride, buckets }: NgramHashTable): number {
    let slot = computeFirstHashSlot(this.key, buckets)
    while (this.ints[base + slot * stride] !== 0 || this.ints[base + slot * stride + 1] !== 0)
      slot = (slot + 1) % buckets
    const at = base + slot * stride
    this.ints[at] = this.key.lo
    this.ints[at + 1] = this.key.hi
    return at
  }

  private nextLine(): string {
    const line = this.peekLine()
    this.line++
    return line
  }

  private peekLine(): string {
    while (this.line < this.lines.length && this.lines[this.line]!.trim() === '') this.line++
    if (this.line >= this.lines.length) throw this.error('the text ends too early')
    return this.lines[this.line]!.trim()
  }

  private error(what: string): LanguageModelError {
    return new LanguageModelError(`line ${this.line}: ${what}`)
  }
}
