import { parseArpaFile } from './arpa.ts'
import { NgramContexts } from './contexts.ts'
import { LanguageModelError } from './error.ts'
import { hashMurmur64, NgramHashKey } from './hash.ts'
import {
  ModelFileLayout,
  parseKenlmHeader,
  readLeadingAscii,
  truncatedModelError,
  type KenlmModelHeader,
} from './header.ts'
import { mapKenlmFileToMemory, type KenlmModelMemory } from './memory.ts'
import { NgramProbingTables } from './probing.ts'
import type { NgramTables } from './tables.ts'
import { NgramTrieTables } from './trie.ts'

/** Bits of -0.0. As a backoff, they mark a context that starts no longer n-gram. */
const NOT_EXTENDABLE = 0x80000000 | 0

const encoder = new TextEncoder()

/** An n-gram model with backoff. Each thread needs its own object, but a file can be opened any number of times. */
export class NgramLanguageModel {
  /** Length of the longest n-grams. */
  readonly order: number
  readonly kind: string
  /** All words of an ARPA model except <unk>. Undefined for a binary model, whose words are not read. */
  readonly words: ReadonlySet<string> | undefined
  readonly sentenceStart: number
  readonly sentenceEnd: number
  /** Length of the n-gram that the last score used. */
  foundLength = 0
  readonly close: () => void

  private readonly tables: NgramTables
  private readonly foundValues: Float32Array
  private readonly hash = new NgramHashKey()

  constructor(parts: {
    order: number
    kind: string
    tables: NgramTables
    words?: ReadonlySet<string>
    close: () => void
  }) {
    this.order = parts.order
    this.kind = parts.kind
    this.tables = parts.tables
    this.foundValues = new Float32Array(parts.tables.found.buffer)
    this.words = parts.words
    this.close = parts.close
    this.sentenceStart = this.wordId('<s>')
    this.sentenceEnd = this.wordId('</s>')
  }

  createContexts(capacity: number): NgramContexts {
    return new NgramContexts(this.order, capacity)
  }

  /** Returns the id of a word, or 0 for unknown words and the empty word. */
  wordId(word: string): number {
    const bytes = encoder.encode(word)
    return this.wordIdOfBytes(bytes, bytes.length)
  }

  /**
   * Returns the id of a word without allocating memory, or 0 for unknown words and the empty word.
   * @param length the number of bytes at the start of `bytes` that are the word in UTF-8
   */
  wordIdOfBytes(bytes: Uint8Array, length: number): number {
    // The hash of an empty word is 0, which marks an empty slot of a hash table.
    if (length === 0) return 0
    hashMurmur64(bytes, length, this.hash)
    return this.tables.wordId(this.hash)
  }

  beginSentence(contexts: NgramContexts, at: number): void {
    this.tables.findUnigram(this.sentenceStart)
    contexts.words[at * contexts.stride] = this.sentenceStart
    contexts.backoffs[at * contexts.stride] = this.foundValues[1]!
    contexts.lengths[at] = 1
  }

  beginAnywhere(contexts: NgramContexts, at: number): void {
    contexts.lengths[at] = 0
  }

  /**
   * Scores `word` after context `from`, writes the next context to `to` and sets `foundLength`. Sums in float32, as KenLM does.
   * @returns the log10 probability
   */
  score(contexts: NgramContexts, from: number, word: number, to: number): number {
    const { tables, foundValues } = this
    const { words, backoffs, stride } = contexts
    const before = from * stride
    const after = to * stride
    const contextLength = contexts.lengths[from]!
    tables.findUnigram(word)
    let score = foundValues[0]!
    let length = 1
    let contextWords = tables.found[1] === NOT_EXTENDABLE ? 0 : 1
    words[after] = word
    backoffs[after] = foundValues[1]!
    while (length <= contextLength && tables.extendsLeft) {
      const older = words[before + length - 1]!
      if (length + 1 === this.order) {
        if (tables.findLongest(older)) {
          score = foundValues[0]!
          length++
        }
        break
      }
      if (!tables.findMiddle(older, length + 1)) break
      score = foundValues[0]!
      words[after + length] = older
      backoffs[after + length] = foundValues[1]!
      length++
      if (tables.found[1] !== NOT_EXTENDABLE) contextWords = length
    }
    for (let i = length - 1; i < contextLength; i++) score = Math.fround(score + backoffs[before + i]!)
    contexts.lengths[to] = contextWords
    this.foundLength = length
    return score
  }
}

/**
 * Opens a language model: a binary KenLM file, which it maps into memory, or ARPA text.
 * @throws LanguageModelError with the path and the reason
 */
export function openNgramLanguageModel(path: string): NgramLanguageModel {
  let close: (() => void) | undefined
  try {
    const file = mapKenlmFileToMemory(path)
    close = () => file.close()
    const { memory } = file
    if (/^(\xEF\xBB\xBF)?\s*\\data\\/.test(readLeadingAscii(memory, Math.min(64, memory.size)))) {
      file.close()
      close = undefined
      const { order, tables, words } = parseArpaFile(path)
      return new NgramLanguageModel({ order, kind: 'ARPA text', tables, words, close: () => undefined })
    }
    const header = parseKenlmHeader(memory)
    const layout = new ModelFileLayout(memory, header.size)
    const tables = header.hashed
      ? new NgramProbingTables(memory, header, layout)
      : new NgramTrieTables(memory, header, layout)
    if (header.hasWords) checkWordList(memory, header, layout.at)
    return new NgramLanguageModel({ order: header.order, kind: header.kind, tables, close })
  } catch (error) {
    close?.()
    throw new LanguageModelError(`Cannot read the language model ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * The file ends with a list of words, each followed by a zero byte. A truncated file has too few zero bytes.
 * @throws LanguageModelError for a truncated file
 */
function checkWordList(memory: KenlmModelMemory, header: KenlmModelHeader, start: number): void {
  const { size } = memory
  let ends = 0
  for (let at = start; at < size; at += 4) {
    const four = memory.bits(at * 8, 32)
    for (let i = 0; i < 4 && at + i < size; i++) if (((four >>> (8 * i)) & 255) === 0) ends++
  }
  const missing = header.counts[0]! - ends
  const cut = memory.bits((size - 1) * 8, 8) !== 0
  if (missing > 0 || cut) throw truncatedModelError(size, size + Math.max(1, missing), 'list of words')
}
