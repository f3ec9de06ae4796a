import { isDigit } from '../../platform/lib/spoken-numbers.ts'
import { expandContraction } from '../../platform/lib/contractions.ts'
import { foldText } from '../../platform/lib/morphology.ts'

/** A word of a text with its position. */
export interface Word {
  /** Folded. */
  word: string
  from: number
  to: number
  capital: boolean
  /** The break before it, besides spaces. */
  before: WordBreak
  /** Whether a question mark follows it. */
  asks: boolean
}

/** Nothing, a comma or similar, the end of a sentence. */
export const NO_BREAK = 0
export const CLAUSE_BREAK = 1
export const SENTENCE_BREAK = 2
/** What separates a word from the one before. */
export type WordBreak = typeof NO_BREAK | typeof CLAUSE_BREAK | typeof SENTENCE_BREAK

const CLAUSE_MARKS = ',;:()—–«»"“”'
const SENTENCE_MARKS = '.!?…\n'
const APOSTROPHES = new Set("'’ʼ")
/** Signs that are spoken as words; signs of money are written before their number and spoken after it. */
const SPOKEN_SIGNS: Record<string, string> = {
  '%': 'процентов',
  $: 'долларов',
  '€': 'евро',
  '£': 'фунтов',
  '₽': 'рублей',
  '№': 'номер',
}
/** Splits a text into words without regular expressions, in linear time. */
export function* splitWords(text: string): Generator<Word> {
  let before: WordBreak = SENTENCE_BREAK
  let sign: Word | undefined // of money, waiting for its number
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
      const word: Word = {
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

/** Signs after a word that can include a question mark: «так?», «„Север“?», «да?!». */
const MAX_SIGNS_BEFORE_QUESTION_MARK = 3

/** Whether a question mark follows a position directly. */
function hasQuestionMarkAfter(text: string, position: number): boolean {
  for (let at = position; at < position + MAX_SIGNS_BEFORE_QUESTION_MARK && at < text.length; at++) {
    if (text[at] === '?') return true
    if (text[at] === ' ' || CHARACTER_KINDS[text.charCodeAt(at)] === LETTER_KIND) return false
  }
  return false
}

/** The end of the word at a position: includes apostrophes, and in numbers points and commas. */
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

/** Kinds of code units besides breaks: a letter of any alphabet, a digit, or a sign that is spoken as a word. */
const LETTER_KIND = 3
const SIGN_KIND = 4
/** The kind of each code unit: a table, so that a text of signs takes no longer than one of words. */
const CHARACTER_KINDS = Uint8Array.from({ length: 0x1_0000 }, (_, code) => classifyCharacter(String.fromCharCode(code)))

function classifyCharacter(letter: string): number {
  if (isDigit(letter) || letter.toLowerCase() !== letter.toUpperCase() || isLetterWithoutCase(letter))
    return LETTER_KIND
  if (Object.hasOwn(SPOKEN_SIGNS, letter)) return SIGN_KIND
  if (SENTENCE_MARKS.includes(letter)) return SENTENCE_BREAK
  return CLAUSE_MARKS.includes(letter) ? CLAUSE_BREAK : NO_BREAK
}

const isWordLetter = (letter: string): boolean => CHARACTER_KINDS[letter.charCodeAt(0)] === LETTER_KIND

/** Letters of alphabets without capitals: Hebrew to Thai and further, Japanese to Korean. */
function isLetterWithoutCase(letter: string): boolean {
  return (letter >= '\u0590' && letter < '\u1e00') || (letter >= '\u3040' && letter < '\ud800')
}
