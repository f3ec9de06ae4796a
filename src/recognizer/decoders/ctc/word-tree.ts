import { doubleCapacity } from '../../double-capacity.ts'
import type { NgramLanguageModel } from '../../kenlm/model.ts'
import { RUSSIAN_ALPHABET } from './alphabet.ts'
import type { KnownWordTrie } from './known-words.ts'
import { NO_TREE_NODE, TokenTree } from './token-tree.ts'

const NOT_COMPUTED = -1
const EMPTY_WORD = 0

/** Each Russian letter has two bytes in UTF-8. */
const LETTER_BYTES = new TextEncoder().encode(RUSSIAN_ALPHABET)

/** A tree of finished and unfinished words, with their ids in the language model. */
export class WordTree extends TokenTree {
  length: Int32Array
  /** Node of the word in the trie of known words, or NO_TREE_NODE. */
  known: Int32Array
  private readonly knownWords: KnownWordTrie | undefined
  private readonly model: NgramLanguageModel | undefined
  private modelIds: Int32Array
  private bytes = new Uint8Array(64)

  constructor(capacity: number, model: NgramLanguageModel | undefined, knownWords: KnownWordTrie | undefined) {
    super(capacity)
    this.model = model
    this.knownWords = knownWords
    this.length = new Int32Array(capacity)
    this.known = new Int32Array(capacity)
    this.modelIds = new Int32Array(capacity)
  }

  extend(word: number, letter: number): number {
    const known = this.find(word, letter)
    if (known !== NO_TREE_NODE) return known
    const added = this.add(word, letter)
    this.length[added] = this.length[word]! + 1
    this.modelIds[added] = NOT_COMPUTED
    if (this.knownWords) this.known[added] = this.knownWords.next(this.known[word]!, letter)
    return added
  }

  /** Returns the id of a word in the language model. Returns 0 for unknown words and the empty word. */
  modelId(word: number): number {
    if (word === EMPTY_WORD || !this.model) return 0
    const cached = this.modelIds[word]!
    if (cached !== NOT_COMPUTED) return cached
    const id = this.model.wordIdOfBytes(this.bytes, this.spell(word))
    this.modelIds[word] = id
    return id
  }

  text(word: number): string {
    let text = ''
    for (let node = word; node !== EMPTY_WORD; node = this.parent[node]!)
      text = RUSSIAN_ALPHABET[this.token[node]!]! + text
    return text
  }

  /**
   * Writes the UTF-8 bytes of a word to `this.bytes`.
   * @returns the number of bytes
   */
  private spell(word: number): number {
    const count = this.length[word]! * 2
    if (count > this.bytes.length) this.bytes = new Uint8Array(count * 2)
    let at = count
    for (let node = word; node !== EMPTY_WORD; node = this.parent[node]!) {
      const letter = this.token[node]! * 2
      this.bytes[--at] = LETTER_BYTES[letter + 1]!
      this.bytes[--at] = LETTER_BYTES[letter]!
    }
    return count
  }

  protected override grow(): void {
    super.grow()
    this.length = doubleCapacity(this.length)
    this.known = doubleCapacity(this.known)
    this.modelIds = doubleCapacity(this.modelIds)
  }
}
