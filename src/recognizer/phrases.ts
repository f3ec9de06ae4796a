import type { RecognizedWord } from './contract.ts'

/** Limits of a subtitle, which has at most two lines of 42 letters. */
export const MAX_SUBTITLE_SECONDS = 7
export const MAX_SUBTITLE_LETTERS = 84

/** Weights for the choice of a break: punctuation before it, each second of a pause, and the distance from the middle. */
const COMMA_GAIN = 1
const PAUSE_GAIN_PER_SECOND = 2
const OFF_CENTER_LOSS = 1.5

/** Splits consecutive words into sentences, and long sentences into phrases that fit a subtitle. */
export function splitWordsIntoPhrases(words: RecognizedWord[]): RecognizedWord[][] {
  const phrases: RecognizedWord[][] = []
  let sentence: RecognizedWord[] = []
  for (const word of words) {
    sentence.push(word)
    if (!/[.?!…]["'”’)]*$/.test(word.text)) continue
    phrases.push(...splitSentence(sentence))
    sentence = []
  }
  return [...phrases, ...splitSentence(sentence)]
}

/** Splits a sentence at its best break, again and again until each part fits a subtitle or has one word. */
function splitSentence(words: RecognizedWord[]): RecognizedWord[][] {
  if (words.length === 0) return []
  if (words.length === 1 || fitsSubtitle(words)) return [words]
  let [best, bestGain] = [1, -Infinity]
  for (let at = 1; at < words.length; at++) {
    const gain = computeBreakGain(words, at)
    if (gain > bestGain) [best, bestGain] = [at, gain]
  }
  return [...splitSentence(words.slice(0, best)), ...splitSentence(words.slice(best))]
}

/** Joins the texts of words with spaces. */
export const joinWordTexts = (words: RecognizedWord[]): string => words.map(({ text }) => text).join(' ')

const fitsSubtitle = (words: RecognizedWord[]): boolean =>
  joinWordTexts(words).length <= MAX_SUBTITLE_LETTERS && words.at(-1)!.end - words[0]!.start <= MAX_SUBTITLE_SECONDS

function computeBreakGain(words: RecognizedWord[], at: number): number {
  const [before, after] = [words[at - 1]!, words[at]!]
  const comma = /[,;:–—-]["'”’)]*$/.test(before.text) ? COMMA_GAIN : 0
  const pause = Math.max(0, after.start - before.end) * PAUSE_GAIN_PER_SECOND
  const share = joinWordTexts(words.slice(0, at)).length / joinWordTexts(words).length
  return comma + pause - Math.abs(share - 0.5) * 2 * OFF_CENTER_LOSS
}
