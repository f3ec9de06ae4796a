import { isDigit } from '../../platform/lib/spoken-numbers.ts'
import { expandContraction } from '../../platform/lib/contractions.ts'
import { foldText } from '../../platform/lib/morphology.ts'

/** A word of a text with its position and the punctuation around it. */
export interface TextWord {
  /** The word is folded by foldText(): in lower case, with е for ё. */
  word: string
  from: number
  to: number
  capital: boolean
  /** The punctuation between the previous word and this one. */
  before: WordBreak
  asks: boolean
}

/** The punctuation before a word: none, a comma or similar, or the end of a sentence. */
export const NO_BREAK = 0
export const CLAUSE_BREAK = 1
export const SENTENCE_BREAK = 2
/** The kind of punctuation between two words. */
export type WordBreak = typeof NO_BREAK | typeof CLAUSE_BREAK | typeof SENTENCE_BREAK

const CLAUSE_MARKS = ',;:()—–«»"“”'
const SENTENCE_MARKS = '.!?…\n'
const APOSTROPHES = new Set("'’ʼ")
/** Signs that are spoken as words. splitWords() returns a sign directly before a number after that number, as in "$5". */
const SPOKEN_SIGNS: Record<string, string> = {
  '%': 'процентов',
  $: 'долларов',
  '€': 'евро',
  '£': 'фунтов',
  '₽': 'рублей',
  '№': 'номер',
}
/** Splits a text into words in linear time. Contractions become several words with the same position. */
export function* splitWords(text: string): Generator<TextWord> {
  let before: WordBreak = SENTENCE_BREAK
  let sign: TextWord | undefined // a sign directly before its number
  let at = 0
  while (at < text.length) {
    const kind = CHARACTER_KINDS[text.charCodeAt(at)]!
    if (kind === LETTER_KIND) {
      const to = findWordEnd(text, at)
      const capital = text[at] !== text[at]!.toLowerCase()
      const words = expandContraction(foldText(text.slice(at, to)))
      for (const [position, word] of words.entries()) {
        const asks = position === words.length - 1 && hasQuestionMarkAfter(text, to)
        yield { word, from: at, to, capital: capital && position === 0, before, asks }
        before = NO_BREAK
      }
      at = to
      if (sign) {
        yield sign
        sign = undefined
      }
      continue
    }
    if (kind === SIGN_KIND) {
      const word: TextWord = {
        word: SPOKEN_SIGNS[text[at]!]!,
        from: at,
        to: at + 1,
        capital: false,
        before: NO_BREAK,
        asks: false,
      }
      if (isDigit(text[at + 1] ?? '')) sign = word
      else yield word
    } else if (kind === SENTENCE_BREAK) before = SENTENCE_BREAK
    else if (before === NO_BREAK && kind === CLAUSE_BREAK) before = CLAUSE_BREAK
    at++
  }
}

/** The number of characters after a word that can contain its question mark, as in «„Север“?». */
const MAX_SIGNS_BEFORE_QUESTION_MARK = 3

function hasQuestionMarkAfter(text: string, position: number): boolean {
  for (let at = position; at < position + MAX_SIGNS_BEFORE_QUESTION_MARK && at < text.length; at++) {
    if (text[at] === '?') return true
    if (text[at] === ' ' || CHARACTER_KINDS[text.charCodeAt(at)] === LETTER_KIND) return false
  }
  return false
}

/** Returns the end of the word at `start`. Words can contain apostrophes, and numbers can contain points and commas. */
function findWordEnd(text: string, start: number): number {
  const digits = isDigit(text[start]!)
  let at = start + 1
  for (; at < text.length; at++) {
    const letter = text[at]!
    if (digits ? isDigit(letter) : isWordLetter(letter)) continue
    const isInnerMark = digits ? letter === '.' || letter === ',' : APOSTROPHES.has(letter)
    const next = text[at + 1] ?? ''
    if (isInnerMark && (digits ? isDigit(next) : isWordLetter(next))) continue
    break
  }
  return at
}

/** Character kinds besides the word breaks: a letter or digit, and a sign that is spoken as a word. */
const LETTER_KIND = 3
const SIGN_KIND = 4
/** The kind of each UTF-16 code unit, computed once for speed. */
const CHARACTER_KINDS = Uint8Array.from({ length: 0x1_0000 }, (_, code) => classifyCharacter(String.fromCharCode(code)))

function classifyCharacter(letter: string): number {
  if (isDigit(letter) || letter.toLowerCase() !== letter.toUpperCase() || isLetterWithoutCase(letter))
    return LETTER_KIND
  if (Object.hasOwn(SPOKEN_SIGNS, letter)) return SIGN_KIND
  if (SENTENCE_MARKS.includes(letter)) return SENTENCE_BREAK
  return CLAUSE_MARKS.includes(letter) ? CLAUSE_BREAK : NO_BREAK
}

const isWordLetter = (letter: string): boolean => CHARACTER_KINDS[letter.charCodeAt(0)] === LETTER_KIND

/** Returns true for the ranges of scripts without capital letters: U+0590 to U+1DFF (Hebrew, Thai), U+3040 to U+D7FF (Japanese, Korean). */
function isLetterWithoutCase(letter: string): boolean {
  return (letter >= '\u0590' && letter < '\u1e00') || (letter >= '\u3040' && letter < '\ud800')
}
