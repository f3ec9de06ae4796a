import { doubleCapacity } from '../../double-capacity.ts'
import type { NgramContexts } from '../../kenlm/contexts.ts'
import type { NgramLanguageModel } from '../../kenlm/model.ts'
import { IntegerPairIds } from './pair-ids.ts'
import type { BeamSearchSettings } from './settings.ts'
import { NO_TREE_NODE } from './token-tree.ts'
import type { WordTree } from './word-tree.ts'

const NOT_COMPUTED = -1

/** Texts of finished words. The language model scores each text once. Text 0 is empty. */
export class ScoredTexts {
  size = 0
  parent: Int32Array
  word: Int32Array
  /** Weighted score of all words of a text by the language model, as a natural log. */
  score: Float64Array
  private histories: Int32Array
  private readonly historyIds = new IntegerPairIds()
  private readonly historyLength: number
  private readonly contexts: NgramContexts | undefined

  constructor(
    capacity: number,
    private readonly words: WordTree,
    private readonly model: NgramLanguageModel | undefined,
    private readonly settings: BeamSearchSettings,
  ) {
    this.parent = new Int32Array(capacity)
    this.word = new Int32Array(capacity)
    this.score = new Float64Array(capacity)
    this.histories = new Int32Array(capacity)
    this.contexts = model?.createContexts(capacity)
    this.historyLength = Math.max(1, (model?.order ?? 1) - 1)
    this.clear()
  }

  clear(): void {
    this.size = 1
    this.historyIds.clear()
    // History 0 belongs to the empty text.
    this.histories[0] = this.historyIds.id(NO_TREE_NODE, NO_TREE_NODE)
    this.parent[0] = NO_TREE_NODE
    this.score[0] = 0
    if (!this.model || !this.contexts) return
    if (this.settings.scoreBoundary) this.model.beginSentence(this.contexts, 0)
    else this.model.beginAnywhere(this.contexts, 0)
  }

  /** Adds a text that extends `text` with one word, and returns its number. */
  add(text: number, word: number): number {
    if (this.size === this.parent.length) this.grow()
    const added = this.size++
    this.parent[added] = text
    this.word[added] = word
    this.histories[added] = NOT_COMPUTED
    if (this.model && this.contexts) {
      const id = this.words.modelId(word)
      this.score[added] = this.score[text]! + this.weigh(this.model.score(this.contexts, text, id, added), id)
    }
    return added
  }

  /**
   * Returns the score of a whole utterance: the text, one more word and, with scoreBoundary, the end of the sentence. Word 0, the
   * empty word, counts as unknown.
   */
  endScore(text: number, word: number): number {
    const { model, contexts } = this
    if (!model || !contexts) return 0
    // The two contexts after the last text are scratch space.
    while (this.size + 2 > this.parent.length) this.grow()
    const id = this.words.modelId(word)
    const last = model.score(contexts, text, id, this.size)
    const end = this.settings.scoreBoundary ? model.score(contexts, this.size, model.sentenceEnd, this.size + 1) : 0
    return this.score[text]! + this.weigh(last, id, end)
  }

  /**
   * Returns a number for the last words of a text, as many as the language model uses. Texts with equal last words get equal
   * numbers.
   */
  historyId(text: number): number {
    const cached = this.histories[text]!
    if (cached !== NOT_COMPUTED) return cached
    let history = 0
    let at = text
    for (let i = 0; i < this.historyLength && at !== 0; i++) {
      history = this.historyIds.id(history, this.word[at]!)
      at = this.parent[at]!
    }
    this.histories[text] = history
    return history
  }

  text(text: number): string {
    const words: string[] = []
    for (let at = text; at !== 0; at = this.parent[at]!) words.push(this.words.text(this.word[at]!))
    return words.toReversed().join(' ')
  }

  /** Weights the log10 scores of a word and of the sentence end. Adds `beta`, and a penalty for an unknown word. */
  private weigh(log10: number, id: number, end = 0): number {
    const { alpha, beta, unknownOffset } = this.settings
    return alpha * (log10 + (id === 0 ? unknownOffset : 0) + end) * Math.LN10 + beta
  }

  private grow(): void {
    this.parent = doubleCapacity(this.parent)
    this.word = doubleCapacity(this.word)
    this.score = doubleCapacity(this.score)
    this.histories = doubleCapacity(this.histories)
    this.contexts?.grow()
  }
}
