import { grown } from '../../grown.ts'
import { SPACE } from './alphabet.ts'
import { Texts } from './texts.ts'
import { NONE, Tree } from './tree.ts'
import type { Words } from './words.ts'

/** Finished words and a partial word, one node per pair; node 0 is empty. Equal nodes are equal texts. */
export class Prefixes extends Tree {
  text: Int32Array
  /** The partial word; 0 is the empty one. */
  part: Int32Array
  /** Free for the search: an index among the beams of a frame, or NONE. */
  slot: Int32Array
  private readonly texts: Texts
  private readonly words: Words
  private finishedTexts: Int32Array

  constructor(capacity: number, texts: Texts, words: Words) {
    super(capacity)
    this.texts = texts
    this.words = words
    this.text = new Int32Array(capacity)
    this.part = new Int32Array(capacity)
    this.slot = new Int32Array(capacity).fill(NONE)
    this.finishedTexts = new Int32Array(capacity).fill(NONE)
  }

  override clear(): void {
    super.clear()
    this.finishedTexts[0] = NONE
  }

  /** The prefix with one more letter, or with a space after a non-empty partial word. */
  extend(node: number, token: number): number {
    const known = this.find(node, token)
    if (known !== NONE) return known
    const added = this.add(node, token)
    const spaced = token === SPACE
    this.text[added] = spaced ? this.finishedText(node) : this.text[node]!
    this.part[added] = spaced ? 0 : this.words.extend(this.part[node]!, token)
    this.slot[added] = NONE
    this.finishedTexts[added] = NONE
    return added
  }

  /** The text after the partial word is finished; an empty one adds nothing. */
  finishedText(node: number): number {
    const part = this.part[node]!
    if (part === 0) return this.text[node]!
    const finished = this.finishedTexts[node]!
    return finished === NONE ? (this.finishedTexts[node] = this.texts.add(this.text[node]!, part)) : finished
  }

  protected override grow(): void {
    super.grow()
    this.text = grown(this.text)
    this.part = grown(this.part)
    this.slot = grown(this.slot)
    this.finishedTexts = grown(this.finishedTexts)
  }
}
