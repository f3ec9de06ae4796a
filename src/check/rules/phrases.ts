import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord } from '../../platform/lib/morphology.ts'
import { PHRASE_SLOTS_BY_NAME, type PhraseSlot } from './slots.ts'
import type { PhrasesByLanguage } from './types.ts'
import { isDigit } from '../../platform/lib/spoken-numbers.ts'
import { splitWords } from './words.ts'

/** One word of a phrase: any form of these lemmas, one of these exact words, or a slot. «муж/жена» has the lemmas of both words. */
export type PhrasePart = { lemmas: string[] } | { exact: string[] } | { slot: PhraseSlot }

/** A parsed phrase. Its parts are lemmas, exact words or slots, in the order of the phrase. */
export interface CompiledPhrase {
  parts: PhrasePart[]
  /** For each part after the first: whether it must follow the part before directly, as within quotation marks. */
  close: boolean[]
}

/** A piece of a phrase: words, or a slot in braces. `exact` pieces are within quotation marks. */
interface PhrasePiece {
  text: string
  exact: boolean
  slot: boolean
  /** True if the piece continues another one within the same quotation marks. */
  goesOn: boolean
}

const OPENING_QUOTES = '"“„«'
const CLOSING_QUOTES = '"”“»'

/** Splits a phrase at quotation marks and braces. @returns undefined if one is not closed, or a brace is not opened */
export function splitPhrase(text: string): PhrasePiece[] | undefined {
  const pieces: PhrasePiece[] = []
  let [exact, goesOn] = [false, false]
  let from = 0
  const push = (to: number, slot = false): void => {
    if (text.slice(from, to).trim()) {
      pieces.push({ text: text.slice(from, to), exact, slot, goesOn })
      goesOn = exact
    }
    from = to
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if ((exact ? CLOSING_QUOTES : OPENING_QUOTES).includes(letter)) {
      push(at)
      exact = !exact
      goesOn = false
      from = at + 1
    } else if (letter === '{') {
      push(at)
      const end = text.indexOf('}', at)
      if (end < 0) return undefined
      push(end + 1, true)
      at = end
    } else if (letter === '}') return undefined
  }
  push(text.length)
  return exact ? undefined : pieces
}

/**
 * Compiles phrases for the search.
 * Validate them with `collectRuleSetViolations()` first, because invalid phrases are omitted or compiled only in part.
 */
export async function compilePhrases({ ru = [], en = [] }: PhrasesByLanguage): Promise<CompiledPhrase[]> {
  const compiled: CompiledPhrase[] = []
  for (const text of [...ru, ...en]) {
    if (shouldYield()) await yieldToEventLoop()
    const phrase = compilePhrase(text)
    if (phrase) compiled.push(phrase)
  }
  return compiled
}

function compilePhrase(text: string): CompiledPhrase | undefined {
  const phrase: CompiledPhrase = { parts: [], close: [] }
  for (const piece of splitPhrase(text) ?? []) {
    const slot = piece.slot ? PHRASE_SLOTS_BY_NAME[piece.text.toLowerCase()] : undefined
    if (slot) addPart(phrase, { slot }, piece.goesOn)
    if (piece.slot) continue
    let first = !piece.goesOn
    for (const choice of parseWordChoices(piece.text)) {
      const lemmas = new Set(choice.flatMap((word) => analyzeWord(word).lemmas))
      addPart(phrase, piece.exact ? { exact: choice } : { lemmas: [...lemmas] }, piece.exact && !first)
      first = false
    }
  }
  return phrase.parts.length > 0 ? phrase : undefined
}

/** Splits a text into words with their alternatives: «муж/жена» gives one word with two. Numbers such as «24/7» give two words. */
export function parseWordChoices(text: string): string[][] {
  return text
    .split(' ')
    .flatMap((written) => parseChoice(written) ?? Array.from(splitWords(written), ({ word }) => [word]))
}

/** Returns undefined unless each part around a slash is a single word that does not begin with a digit. */
function parseChoice(written: string): string[][] | undefined {
  if (!written.includes('/')) return undefined
  const choices = written.split('/').map((part) => Array.from(splitWords(part), ({ word }) => word))
  const isChoice = choices.every(([word, more]) => word && !more && !isDigit(word[0]!))
  return isChoice ? [choices.flat()] : undefined
}

/** Returns true if a slash in a text separates anything but single words, such as a slot or «кто-то». It is allowed in numbers. */
export const hasMisplacedSlash = (text: string): boolean =>
  text.split(' ').some((written) => written.includes('/') && !parseChoice(written) && !isDigit(written[0]!))

function addPart({ parts, close }: CompiledPhrase, part: PhrasePart, isAdjacent: boolean): void {
  if (parts.length > 0) close.push(isAdjacent)
  parts.push(part)
}
