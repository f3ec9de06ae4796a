import { doubleCapacity } from '../../double-capacity.ts'
import { CTC_SPACE_TOKEN } from './alphabet.ts'
import { ScoredTexts } from './scored-texts.ts'
import { NO_TREE_NODE, TokenTree } from './token-tree.ts'
import type { WordTree } from './word-tree.ts'

/**
 * A tree of prefixes. Each node is a pair of finished words and an unfinished word. Node 0 is empty. Each pair has only one node.
 */
export class PrefixTree extends TokenTree {
  /** Number of the finished words in `ScoredTexts`. */
  text: Int32Array
  /** Node of the unfinished word in the word tree. 0 is the empty word. */
  part: Int32Array
  /** Scratch value of the search: the index of a beam, or NO_TREE_NODE. */
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
    this.slot = new Int32Array(capacity).fill(NO_TREE_NODE)
    this.finishedTexts = new Int32Array(capacity).fill(NO_TREE_NODE)
  }

  override clear(): void {
    super.clear()
    this.finishedTexts[0] = NO_TREE_NODE
  }

  /** Returns the node after one more letter, or after a space that ends a non-empty word. */
  extend(node: number, token: number): number {
    const known = this.find(node, token)
    if (known !== NO_TREE_NODE) return known
    const added = this.add(node, token)
    const spaced = token === CTC_SPACE_TOKEN
    this.text[added] = spaced ? this.finishedText(node) : this.text[node]!
    this.part[added] = spaced ? 0 : this.words.extend(this.part[node]!, token)
    this.slot[added] = NO_TREE_NODE
    this.finishedTexts[added] = NO_TREE_NODE
    return added
  }

  /** Returns the text after its unfinished word ends. An empty word adds nothing. */
  finishedText(node: number): number {
    const part = this.part[node]!
    if (part === 0) return this.text[node]!
    const finished = this.finishedTexts[node]!
    return finished === NO_TREE_NODE ? (this.finishedTexts[node] = this.texts.add(this.text[node]!, part)) : finished
  }

  protected override grow(): void {
    super.grow()
    this.text = doubleCapacity(this.text)
    this.part = doubleCapacity(this.part)
    this.slot = doubleCapacity(this.slot)
    this.finishedTexts = doubleCapacity(this.finishedTexts)
  }
}
