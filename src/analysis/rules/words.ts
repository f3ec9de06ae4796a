import { fold } from './lemmas.ts'

/** A word of a text, at its place there. */
export interface Word {
  /** Folded. */
  word: string
  from: number
  to: number
  /** It begins with a capital letter. */
  capital: boolean
  /** What stands before it, beside spaces. */
  before: Break
}

/** nothing, a comma or the like, the end of a sentence */
export const NO_BREAK = 0
export const CLAUSE = 1
export const SENTENCE = 2
export type Break = typeof NO_BREAK | typeof CLAUSE | typeof SENTENCE

const CLAUSES = new Set(',;:()—–«»"“”')
const SENTENCES = new Set('.!?…\n')
const APOSTROPHES = new Set("'’ʼ")
/** Signs that are said as words; those of money stand before their number and are said after it. */
const SIGNS: Record<string, string> = {
  '%': 'процентов',
  $: 'долларов',
  '€': 'евро',
  '£': 'фунтов',
  '₽': 'рублей',
  '№': 'номер',
}
const ENDINGS: Record<string, string> = { ll: 'will', re: 'are', ve: 'have', d: 'would', m: 'am', s: 'is' }
const SHORT: Record<string, string[]> = {
  "can't": ['can', 'not'],
  cannot: ['can', 'not'],
  "won't": ['will', 'not'],
  "shan't": ['shall', 'not'],
  "let's": ['let', 'us'],
  gonna: ['going', 'to'],
  wanna: ['want', 'to'],
  dont: ['do', 'not'],
  doesnt: ['does', 'not'],
  didnt: ['did', 'not'],
  isnt: ['is', 'not'],
  wouldnt: ['would', 'not'],
  couldnt: ['could', 'not'],
}

/** Cuts a text into words, one after another, without regular expressions: the time is that of its length. */
export function* wordsOf(text: string): Generator<Word> {
  let before: Break = SENTENCE
  let sign: Word | undefined // of money, waiting for its number
  let at = 0
  while (at < text.length) {
    const letter = text[at]!
    if (isWordLetter(letter)) {
      const to = endOfWord(text, at)
      const capital = letter !== letter.toLowerCase()
      for (const word of expand(fold(text.slice(at, to)))) {
        yield { word, from: at, to, capital, before }
        before = NO_BREAK
      }
      at = to
      if (sign) {
        yield sign
        sign = undefined
      }
      continue
    }
    const said = SIGNS[letter]
    if (said) {
      const word: Word = { word: said, from: at, to: at + 1, capital: false, before: NO_BREAK }
      if (isDigit(text[at + 1] ?? '')) sign = word
      else yield word
    } else if (SENTENCES.has(letter)) before = SENTENCE
    else if (before === NO_BREAK && CLAUSES.has(letter)) before = CLAUSE
    at++
  }
}

/** The end of the word that begins at a place: apostrophes within, in numbers also points and commas. */
function endOfWord(text: string, start: number): number {
  const digits = isDigit(text[start]!)
  let at = start + 1
  for (; at < text.length; at++) {
    const letter = text[at]!
    if (digits ? isDigit(letter) : isWordLetter(letter)) continue
    const inside = digits ? letter === '.' || letter === ',' : APOSTROPHES.has(letter)
    const next = text[at + 1] ?? ''
    if (inside && (digits ? isDigit(next) : isWordLetter(next))) continue
    break
  }
  return at
}

/** English contractions as the words they stand for. */
function expand(word: string): string[] {
  const straight = word.includes('’') || word.includes('ʼ') ? word.replaceAll('’', "'").replaceAll('ʼ', "'") : word
  const short = Object.hasOwn(SHORT, straight) ? SHORT[straight] : undefined
  if (short) return short
  const cut = straight.lastIndexOf("'")
  if (cut < 0) return [straight]
  const [stem, ending] = [straight.slice(0, cut), straight.slice(cut + 1)]
  if (ending === 't' && stem.endsWith('n')) return [stem.slice(0, -1), 'not']
  return Object.hasOwn(ENDINGS, ending) ? [stem, ENDINGS[ending]!] : [straight]
}

export const isDigit = (letter: string): boolean => letter >= '0' && letter <= '9'

/** Letters of any alphabet and digits. */
export function isWordLetter(letter: string): boolean {
  if ((letter >= 'a' && letter <= 'z') || (letter >= 'а' && letter <= 'я') || isDigit(letter)) return true
  return letter.toLowerCase() !== letter.toUpperCase() || isLetterWithoutCase(letter)
}

/** Letters of alphabets without capitals: Hebrew to Thai and further, Japanese to Korean. */
const isLetterWithoutCase = (letter: string): boolean =>
  (letter >= '\u0590' && letter < '\u1e00') || (letter >= '\u3040' && letter < '\ud800')
