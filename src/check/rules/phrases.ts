import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { analyzeWord } from '../../platform/lib/morphology.ts'
import { SLOT_NAMES, type Slot } from './slots.ts'
import type { Phrases } from './types.ts'
import { isDigit } from '../../platform/lib/spoken-numbers.ts'
import { splitWords } from './words.ts'

/** One word of a phrase: any of its forms, only its exact form (of «муж/жена» one of them), or a slot. */
export type PhrasePart = { lemmas: string[] } | { exact: string[] } | { slot: Slot }

/** A parsed phrase. */
export interface Phrase {
  parts: PhrasePart[]
  /** For each part but the first: whether it follows the one before directly, as within quotation marks. */
  close: boolean[]
}

/** A piece of a phrase: words, or a slot as written; exact between quotation marks. */
interface PhrasePiece {
  text: string
  exact: boolean
  slot: boolean
  /** It follows another piece within the same quotation marks. */
  goesOn: boolean
}

const OPENING_QUOTES = '"“„«'
const CLOSING_QUOTES = '"”“»'

/** Cuts a phrase at quotation marks and braces; undefined if one is left open. */
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

/** The compiled phrases. Validate with `collectViolations()` first: of invalid phrases only parts are compiled. */
export async function compilePhrases({ ru = [], en = [] }: Phrases): Promise<Phrase[]> {
  const compiled: Phrase[] = []
  for (const text of [...ru, ...en]) {
    if (shouldYield()) await yieldToEventLoop()
    const phrase = compilePhrase(text)
    if (phrase) compiled.push(phrase)
  }
  return compiled
}

function compilePhrase(text: string): Phrase | undefined {
  const phrase: Phrase = { parts: [], close: [] }
  for (const piece of splitPhrase(text) ?? []) {
    const slot = piece.slot ? SLOT_NAMES[piece.text.toLowerCase()] : undefined
    if (slot) addPart(phrase, { slot }, piece.goesOn)
    if (piece.slot) continue
    let first = !piece.goesOn
    for (const choice of parseChoices(piece.text)) {
      const lemmas = new Set(choice.flatMap((word) => analyzeWord(word).lemmas))
      addPart(phrase, piece.exact ? { exact: choice } : { lemmas: [...lemmas] }, piece.exact && !first)
      first = false
    }
  }
  return phrase.parts.length > 0 ? phrase : undefined
}

/** The words of a text, each with its alternatives: «муж/жена» means either. Numbers («24/7») stay one word. */
export function parseChoices(text: string): string[][] {
  return text
    .split(' ')
    .flatMap((written) => parseChoice(written) ?? Array.from(splitWords(written), ({ word }) => [word]))
}

/** The words around a slash, as alternatives of one position. */
function parseChoice(written: string): string[][] | undefined {
  if (!written.includes('/')) return undefined
  const choices = written.split('/').map((part) => Array.from(splitWords(part), ({ word }) => word))
  const isChoice = choices.every(([word, more]) => word && !more && !isDigit(word[0]!))
  return isChoice ? [choices.flat()] : undefined
}

/** Whether a text has a slash elsewhere than between two words or numbers: beside a slot, or «кто-то». */
export const hasMisplacedSlash = (text: string): boolean =>
  text.split(' ').some((written) => written.includes('/') && !parseChoice(written) && !isDigit(written[0]!))

function addPart({ parts, close }: Phrase, part: PhrasePart, isAdjacent: boolean): void {
  if (parts.length > 0) close.push(isAdjacent)
  parts.push(part)
}
