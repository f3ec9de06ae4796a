import { doubleCapacity } from '../../double-capacity.ts'
import { SPACE_TOKEN } from './alphabet.ts'
import { ScoredTexts } from './scored-texts.ts'
import { NO_NODE, TokenTree } from './token-tree.ts'
import type { WordTree } from './word-tree.ts'

/** Finished words and a partial word, one node per pair; node 0 is empty. Equal nodes are equal texts. */
export class PrefixTree extends TokenTree {
  text: Int32Array
  /** The partial word; 0 is the empty one. */
  part: Int32Array
  /** Free for the search: an index among the beams of a frame, or NO_NODE. */
  slot: Int32Array
  private readonly texts: ScoredTexts
  private readonly words: WordTree
  private finishedTexts: Int32Array

  constructor(capacity: number, texts: ScoredTexts, words: WordTree) {
    super(capacity)
    this.texts = texts
    this.words = words
    this.text = new Int32Array(capacity)
    this.part = new Int32Array(capacity)
    this.slot = new Int32Array(capacity).fill(NO_NODE)
    this.finishedTexts = new Int32Array(capacity).fill(NO_NODE)
  }

  override clear(): void {
    super.clear()
    this.finishedTexts[0] = NO_NODE
  }

  /** The prefix with one more letter, or with a space after a non-empty partial word. */
  extend(node: number, token: number): number {
    const known = this.find(node, token)
    if (known !== NO_NODE) return known
    const added = this.add(node, token)
    const spaced = token === SPACE_TOKEN
    this.text[added] = spaced ? this.finishedText(node) : this.text[node]!
    this.part[added] = spaced ? 0 : this.words.extend(this.part[node]!, token)
    this.slot[added] = NO_NODE
    this.finishedTexts[added] = NO_NODE
    return added
  }

  /** The text after the partial word is finished; an empty one adds nothing. */
  finishedText(node: number): number {
    const part = this.part[node]!
    if (part === 0) return this.text[node]!
    const finished = this.finishedTexts[node]!
    return finished === NO_NODE ? (this.finishedTexts[node] = this.texts.add(this.text[node]!, part)) : finished
  }

  protected override grow(): void {
    super.grow()
    this.text = doubleCapacity(this.text)
    this.part = doubleCapacity(this.part)
    this.slot = doubleCapacity(this.slot)
    this.finishedTexts = doubleCapacity(this.finishedTexts)
  }
}
