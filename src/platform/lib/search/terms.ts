import { expandContraction } from '../contractions.ts'
import { baseForms, loadLemmas } from '../morphology.ts'
import { shouldYield, yieldToOthers } from '../yielder.ts'
import { findNumbers, groupNumbers, joinedNumbers } from './numbers.ts'
import { isNumber, tokenize, type Token } from './tokens.ts'

/**
 * Terms are the lexemes of the index. A word as written is its own term. A derived term begins with this character: a
 * dictionary form, a spoken number, or the digits of a group.
 */
const DERIVED = '\u0002'

export const derivedTerm = (term: string): string => DERIVED + term

/** One position of a text: a token with its terms. */
export interface Position {
  start: number
  end: number
  /** The word as written comes first. */
  terms: readonly string[]
  /** Terms of this and the following positions together. */
  spans: Span[]
}

export interface Span {
  term: string
  /** The number of positions. */
  length: number
}

/** We index and mark only this much of a text, in characters: more than the longest call. */
const MAX_TEXT = 250_000

/** Finds the terms of a text, position by position. Yields to the event loop, because new words take 20 µs each. */
export async function analyzeText(text: string): Promise<Position[]> {
  await loadLemmas()
  const tokens = tokenize(text.slice(0, MAX_TEXT))
  const known = new Map<string, readonly string[]>()
  const positions: Position[] = []
  for (const { word, start, end } of tokens) {
    const terms = known.get(word) ?? termsOf(word)
    known.set(word, terms)
    positions.push({ start, end, terms, spans: [] })
    if (shouldYield()) await yieldToOthers()
  }
  addNumbers(tokens, positions)
  for (const { from, length, word } of joinedWords(tokens)) {
    for (const form of baseForms(word)) positions[from]!.spans.push({ term: derivedTerm(form), length })
  }
  return positions
}

/** The terms of a word of a text. A dictionary form equal to the word needs no second term. */
function termsOf(word: string): readonly string[] {
  const forms = expandContraction(word).flatMap(baseForms)
  return [...new Set([word, ...forms.filter((form) => form !== word).map(derivedTerm)])]
}

/** The search terms of a word in a query: each of its dictionary forms, written or derived. */
export function queryTerms(word: string): string[] {
  const [first = word, second] = expandContraction(word)
  // "John's" is found as John. Other contractions are found as written: their words are too frequent.
  const forms = second === undefined || second === 'is' ? baseForms(first) : []
  return [...new Set([word, ...forms.flatMap(eitherTerm)])]
}

/** A dictionary form or a number in a text: as a word, or as the meaning of several words. */
export const eitherTerm = (form: string): string[] => [form, derivedTerm(form)]

function addNumbers(tokens: readonly Token[], positions: readonly Position[]): void {
  const numbers = findNumbers(tokens)
  const said = numbers.filter(({ from, to, digits }) => to > from + 1 || tokens[from]!.word !== digits)
  const joined = groupNumbers(tokens, numbers).flatMap((group) => [...joinedNumbers(group)])
  for (const { digits, from, to } of [...said, ...joined]) {
    positions[from]!.spans.push({ term: derivedTerm(digits), length: to - from })
  }
}

/** The maximum number of parts of words that are also found without hyphens. */
const MAX_PARTS = 4

/** Compounds of letters with hyphens, as one word: "e-mail" is found as "email". */
export function joinedWords(tokens: readonly Token[]): { word: string; from: number; length: number }[] {
  const chains: { word: string; from: number; length: number }[] = []
  let from = 0
  while (from < tokens.length) {
    let to = from + 1
    while (tokens[to]?.joint === '-') to++
    const parts = tokens.slice(from, to).map(({ word }) => word)
    const length = to - from
    const isWhole = tokens[from]!.joint === undefined && tokens[to]?.joint === undefined
    if (isWhole && length > 1 && length <= MAX_PARTS && !parts.some(isNumber)) {
      chains.push({ word: parts.join(''), from, length })
    }
    from = to
  }
  return chains
}

/** A tsvector has at most 1 MB; a longer text is found by its first terms. */
const MAX_BYTES = 900_000
/** Limits of Postgres for the positions of a tsvector. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
/** Bytes of a lexeme besides its text, and of each position. */
const LEXEME_BYTES = 8
const POSITION_BYTES = 2

/** The terms of a text as the text form of a tsvector. */
export function formatTsvector(positions: readonly Position[]): string {
  const places = new Map<string, number[]>()
  let bytes = 0
  for (const [index, { terms, spans }] of positions.entries()) {
    if (bytes > MAX_BYTES) break
    const position = Math.min(index + 1, MAX_POSITION)
    for (const term of [...terms, ...spans.map((span) => span.term)]) {
      const known = places.get(term)
      if (known === undefined) {
        places.set(term, [position])
        bytes += Buffer.byteLength(term) + LEXEME_BYTES + POSITION_BYTES
      } else if (known.length < MAX_POSITIONS && known.at(-1) !== position) {
        known.push(position)
        bytes += POSITION_BYTES
      }
    }
  }
  return Array.from(places, ([term, at]) => `${quoteTerm(term)}:${at.join()}`).join(' ')
}

/** A lexeme in the text form of a tsvector or a tsquery. */
export const quoteTerm = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`

/** The terms of a text for the index, as the text form of a tsvector. */
export const indexText = async (text: string): Promise<string> => formatTsvector(await analyzeText(text))
