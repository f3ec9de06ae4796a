import type { HeardWord } from './contract.ts'

/** Limits of a subtitle: two lines of 42 letters, read within seven seconds. */
export const LONGEST_PHRASE_SECONDS = 7
export const MOST_LETTERS = 84

/** Gain of a break after a comma, gain per second of a pause, and loss far from the middle. */
const AFTER_COMMA = 1
const PER_SECOND = 2
const FAR_FROM_MIDDLE = 1.5

/** Splits consecutive words into sentences, and long sentences into phrases for subtitles. */
export function phrasesOf(words: HeardWord[]): HeardWord[][] {
  const phrases: HeardWord[][] = []
  let sentence: HeardWord[] = []
  for (const word of words) {
    sentence.push(word)
    if (!/[.?!…]["'”’)]*$/.test(word.text)) continue
    phrases.push(...cut(sentence))
    sentence = []
  }
  return [...phrases, ...cut(sentence)]
}

/** Halves a sentence at its best break until every part fits. */
function cut(words: HeardWord[]): HeardWord[][] {
  if (words.length === 0) return []
  if (words.length === 1 || fits(words)) return [words]
  let [best, most] = [1, -Infinity]
  for (let at = 1; at < words.length; at++) {
    const gain = gainOf(words, at)
    if (gain > most) [best, most] = [at, gain]
  }
  return [...cut(words.slice(0, best)), ...cut(words.slice(best))]
}

export const textOf = (words: HeardWord[]): string => words.map(({ text }) => text).join(' ')

const fits = (words: HeardWord[]): boolean =>
  textOf(words).length <= MOST_LETTERS && words.at(-1)!.end - words[0]!.start <= LONGEST_PHRASE_SECONDS

/** Gain of a break before the word at this index. */
function gainOf(words: HeardWord[], at: number): number {
  const [before, after] = [words[at - 1]!, words[at]!]
  const comma = /[,;:–—-]["'”’)]*$/.test(before.text) ? AFTER_COMMA : 0
  const pause = Math.max(0, after.start - before.end) * PER_SECOND
  const share = textOf(words.slice(0, at)).length / textOf(words).length
  return comma + pause - Math.abs(share - 0.5) * 2 * FAR_FROM_MIDDLE
}
