import type { NgramLanguageModel } from '../../kenlm/model.ts'
import { selectBestToken, CTC_BLANK_TOKEN, CTC_TOKEN_COUNT, countTokenRows, CTC_SPACE_TOKEN } from './alphabet.ts'
import { CtcBeamArrays } from './beams.ts'
import { TopScoreSelector } from './top-score-selector.ts'
import {
  CtcCandidateArrays,
  CANDIDATE_KEYS_PER_BEAM,
  addLogProbabilities,
  CANDIDATE_STEP_BLANK,
  CANDIDATE_STEP_REPEAT,
} from './candidates.ts'
import { KnownWordTrie } from './known-words.ts'
import { normaliseLogProbabilities } from './normalise.ts'
import { IntegerPairIds } from './pair-ids.ts'
import { PrefixTree } from './prefix-tree.ts'
import { T_ONE_BEAM_SEARCH_SETTINGS, type BeamSearchSettings } from './settings.ts'
import { ScoredTexts } from './scored-texts.ts'
import { NO_TREE_NODE } from './token-tree.ts'
import { WordTree } from './word-tree.ts'

/** Number of tree nodes allocated at first. The arrays of the trees grow with an utterance and keep their size for the next. */
const INITIAL_CAPACITY = 4096
/** Letters of a usual word. A longer unfinished word gets a larger penalty. */
const USUAL_WORD_LENGTH = 6

/** A text that the beam search found. Both scores are natural logarithms. `total` includes the language model. */
export interface ScoredDecodedText {
  text: string
  acoustic: number
  total: number
}

/** Counts of one frame for tests: considered tokens, candidates before merging, and merged candidates that are not pruned. */
export interface BeamSearchFrameCounts {
  tokens: number
  expanded: number
  above: number
}

/**
 * CTC prefix beam search with a word language model. It returns the same texts as pyctcdecode in T-one. Create one object per
 * thread, because its arrays are reused for all utterances. With a binary model, every unfinished word gets a penalty. With an
 * ARPA model, only unknown ones do, as in pyctcdecode.
 */
export class CtcBeamSearch {
  private readonly settings: BeamSearchSettings
  private readonly model: NgramLanguageModel | undefined
  private readonly knownWords: KnownWordTrie | undefined
  private readonly words: WordTree
  private readonly texts: ScoredTexts
  private readonly prefixes: PrefixTree
  private readonly candidates: CtcCandidateArrays
  private readonly best: TopScoreSelector
  private readonly seen = new IntegerPairIds()
  private readonly tokens = new Uint8Array(CTC_TOKEN_COUNT)
  private beams: CtcBeamArrays
  private spare: CtcBeamArrays
  private values = new Float32Array(0)

  constructor(model?: NgramLanguageModel, settings: Partial<BeamSearchSettings> = {}) {
    this.settings = { ...T_ONE_BEAM_SEARCH_SETTINGS, ...settings }
    const { beamWidth } = this.settings
    if (!Number.isSafeInteger(beamWidth) || beamWidth < 1) throw new RangeError(`A beam width of ${beamWidth}`)
    this.model = model
    this.knownWords = model?.words && new KnownWordTrie(model.words)
    this.words = new WordTree(INITIAL_CAPACITY, model, this.knownWords)
    this.texts = new ScoredTexts(INITIAL_CAPACITY, this.words, model, this.settings)
    this.prefixes = new PrefixTree(INITIAL_CAPACITY, this.texts, this.words)
    this.candidates = new CtcCandidateArrays(beamWidth)
    this.best = new TopScoreSelector(beamWidth * CANDIDATE_KEYS_PER_BEAM)
    this.beams = new CtcBeamArrays(beamWidth)
    this.spare = new CtcBeamArrays(beamWidth)
  }

  /**
   * Returns the best text of an utterance.
   * @param matrix rows of 35 log probabilities, one row per frame of 30 ms
   */
  decode(matrix: Float32Array): string {
    return this.search(matrix, 1)[0]?.text ?? ''
  }

  /**
   * Returns up to `maxResults` texts of an utterance, best first.
   * @param matrix as in `decode()`
   * @param observe called after each frame with its counts
   */
  search(
    matrix: Float32Array,
    maxResults: number,
    observe?: (frame: BeamSearchFrameCounts) => void,
  ): ScoredDecodedText[] {
    const rows = countTokenRows(matrix)
    if (matrix.length > this.values.length) this.values = new Float32Array(matrix.length)
    normaliseLogProbabilities(matrix, this.values)
    this.words.clear()
    this.texts.clear()
    this.prefixes.clear()
    this.beams.reset()
    for (let row = 0; row < rows; row++) this.advance(row, observe)
    return this.finish(maxResults)
  }

  /** Extends every beam with every token of a frame, merges equal texts and prunes. */
  private advance(row: number, observe?: (frame: BeamSearchFrameCounts) => void): void {
    const { candidates, settings } = this
    const tokenCount = this.chooseTokens(row)
    this.assignKeys()
    for (let i = 0; i < tokenCount; i++) {
      const token = this.tokens[i]!
      const value = this.values[row * CTC_TOKEN_COUNT + token]!
      if (token === CTC_BLANK_TOKEN) this.addBlanks(value)
      else if (token === CTC_SPACE_TOKEN) this.addSpaces(value)
      else this.addLetters(token, value)
    }
    const limit = candidates.computeTotals() + settings.beamPruneLogp
    const above = this.best.choose(candidates.total, candidates.count, limit, settings.beamWidth)
    const expanded = tokenCount * this.beams.count
    this.keepBest(Math.min(above, settings.beamWidth))
    observe?.({ tokens: tokenCount, expanded, above })
    candidates.clear()
  }

  /**
   * Writes the tokens to consider to `this.tokens`, in ascending order.
   * @returns the number of tokens
   */
  private chooseTokens(row: number): number {
    const best = selectBestToken(this.values, row)
    let count = 0
    for (let token = 0; token < CTC_TOKEN_COUNT; token++) {
      if (token === best || this.values[row * CTC_TOKEN_COUNT + token]! >= this.settings.tokenMinLogp)
        this.tokens[count++] = token
    }
    return count
  }

  /**
   * Assigns keys to the successors of each beam, so that equal texts get equal keys. Two beams can lead to the same text if their
   * prefixes are equal, or if one prefix extends the other.
   */
  private assignKeys(): void {
    const { beams, prefixes, words, texts } = this
    const { beamWidth } = this.settings
    for (let i = 0; i < beams.count; i++) {
      const node = beams.node[i]!
      if (prefixes.slot[node] === NO_TREE_NODE) prefixes.slot[node] = i
      beams.slot[i] = prefixes.slot[node]!
    }
    for (let i = 0; i < beams.count; i++) {
      const node = beams.node[i]!
      const parent = prefixes.parent[node]!
      const parentSlot = parent === NO_TREE_NODE ? NO_TREE_NODE : prefixes.slot[parent]!
      beams.repeatKey[i] =
        parentSlot === NO_TREE_NODE
          ? CANDIDATE_STEP_REPEAT * beamWidth + beams.slot[i]!
          : parentSlot * CANDIDATE_STEP_BLANK + prefixes.token[node]!
      const part = prefixes.part[node]!
      const length = words.length[part]!
      beams.finished[i] = length === 0 ? 1 : 0
      beams.lastToken[i] = beams.blank[i] ? CTC_BLANK_TOKEN : length === 0 ? CTC_SPACE_TOKEN : prefixes.token[node]!
      beams.textScore[i] = texts.score[prefixes.text[node]!]!
      beams.language[i] = beams.textScore[i]! + this.scorePartialWord(length, words.known[part]!)
      beams.grownLanguage[i] = beams.textScore[i]! + this.scorePartialWord(length + 1, NO_TREE_NODE)
    }
    for (let i = 0; i < beams.count; i++) prefixes.slot[beams.node[i]!] = NO_TREE_NODE
  }

  private scorePartialWord(length: number, known: number): number {
    if (!this.model || length === 0 || (this.knownWords && known !== NO_TREE_NODE)) return 0
    const { unknownOffset } = this.settings
    return length > USUAL_WORD_LENGTH ? (unknownOffset * length) / USUAL_WORD_LENGTH : unknownOffset
  }

  private addBlanks(value: number): void {
    const { beams, candidates } = this
    const firstKey = CANDIDATE_STEP_BLANK * this.settings.beamWidth
    for (let i = 0; i < beams.count; i++) {
      candidates.add(firstKey + beams.slot[i]!, i, CANDIDATE_STEP_BLANK, beams.acoustic[i]! + value, beams.language[i]!)
    }
  }

  private addSpaces(value: number): void {
    const { beams, candidates, prefixes, texts } = this
    for (let i = 0; i < beams.count; i++) {
      const acoustic = beams.acoustic[i]! + value
      if (beams.finished[i]) {
        candidates.add(beams.repeatKey[i]!, i, CANDIDATE_STEP_REPEAT, acoustic, beams.language[i]!)
        continue
      }
      const text = prefixes.finishedText(beams.node[i]!)
      candidates.add(
        beams.slot[i]! * CANDIDATE_STEP_BLANK + CTC_SPACE_TOKEN,
        i,
        CTC_SPACE_TOKEN,
        acoustic,
        texts.score[text]!,
      )
    }
  }

  private addLetters(letter: number, value: number): void {
    const { beams, candidates, knownWords } = this
    for (let i = 0; i < beams.count; i++) {
      const acoustic = beams.acoustic[i]! + value
      if (beams.lastToken[i] === letter) {
        candidates.add(beams.repeatKey[i]!, i, CANDIDATE_STEP_REPEAT, acoustic, beams.language[i]!)
        continue
      }
      const language = knownWords ? this.scoreKnownWord(knownWords, i, letter) : beams.grownLanguage[i]!
      candidates.add(beams.slot[i]! * CANDIDATE_STEP_BLANK + letter, i, letter, acoustic, language)
    }
  }

  private scoreKnownWord(knownWords: KnownWordTrie, beam: number, letter: number): number {
    const part = this.prefixes.part[this.beams.node[beam]!]!
    const known = knownWords.next(this.words.known[part]!, letter)
    return this.beams.textScore[beam]! + this.scorePartialWord(this.words.length[part]! + 1, known)
  }

  /**
   * Makes beams of the best `count` candidates. Drops a candidate that differs from a better one only in words too old for the
   * language model.
   */
  private keepBest(count: number): void {
    const { beams, spare, candidates, prefixes, texts, seen } = this
    seen.clear()
    spare.count = 0
    for (let i = 0; i < count; i++) {
      const candidate = this.best.order[i]!
      const step = candidates.step(candidate)
      const from = beams.node[candidates.beam(candidate)]!
      const node = step < CANDIDATE_STEP_BLANK ? prefixes.extend(from, step) : from
      const blank = step === CANDIDATE_STEP_BLANK ? 1 : 0
      const different = seen.size
      if (seen.id(texts.historyId(prefixes.text[node]!), prefixes.part[node]! * 2 + blank) < different) continue
      spare.add(node, blank, candidates.acoustic[candidate]!)
    }
    this.beams = spare
    this.spare = beams
  }

  /** Finishes every partial word, merges equal texts and scores the end of the sentence. */
  private finish(maxResults: number): ScoredDecodedText[] {
    const { beams, prefixes, texts } = this
    const merged = new Map<number, { node: number; acoustic: number }>()
    for (let i = 0; i < beams.count; i++) {
      const node = beams.node[i]!
      const text = prefixes.finishedText(node)
      const earlier = merged.get(text)
      const acoustic = earlier ? addLogProbabilities(earlier.acoustic, beams.acoustic[i]!) : beams.acoustic[i]!
      // If several beams have the same text, the last node wins, as in pyctcdecode. That node decides the language score.
      merged.set(text, { node, acoustic })
    }
    const results = [...merged].map(([text, { node, acoustic }]) => {
      const language = texts.endScore(prefixes.text[node]!, prefixes.part[node]!)
      return { text, acoustic, total: acoustic + language }
    })
    const limit = Math.max(...results.map(({ total }) => total)) + this.settings.beamPruneLogp
    return results
      .filter(({ total }) => total >= limit)
      .sort((a, b) => b.total - a.total)
      .slice(0, Math.min(maxResults, this.settings.beamWidth))
      .map((result) => ({ ...result, text: texts.text(result.text) }))
  }
}
