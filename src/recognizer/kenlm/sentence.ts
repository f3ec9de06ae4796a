import type { NgramLanguageModel } from './model.ts'

/** The score of a word: its log10 probability, the length of the n-gram found, and true if the word is unknown. */
export type NgramWordScore = [log10: number, length: number, oov: boolean]

/** The scores of a sentence. With marks, the last entry of `words` is the end of the sentence. */
export interface NgramSentenceScore {
  words: NgramWordScore[]
  /** Log10 probability of all words, summed in float32 from left to right. */
  total: number
}

/**
 * Scores the words of a sentence, which are separated by ASCII white space.
 * @param marks true to start after the mark of the sentence's start and to score the mark of its end
 */
export function scoreSentenceWithModel(model: NgramLanguageModel, sentence: string, marks = true): NgramSentenceScore {
  const ids = sentence
    .split(/[\t-\r ]+/)
    .filter((word) => word !== '')
    .map((word) => model.wordId(word))
  const contexts = model.createContexts(2)
  if (marks) model.beginSentence(contexts, 0)
  else model.beginAnywhere(contexts, 0)
  const words: NgramWordScore[] = []
  let total = 0
  let from = 0
  for (const id of marks ? [...ids, model.sentenceEnd] : ids) {
    const log10 = model.score(contexts, from, id, 1 - from)
    from = 1 - from
    total = Math.fround(total + log10)
    words.push([log10, model.foundLength, id === 0])
  }
  return { words, total }
}
