import { expandContraction } from '../contractions.ts'
import { getBaseForms, loadMorphology } from '../morphology.ts'
import { shouldYield, yieldToEventLoop } from '../yielder.ts'
import { getNumberEndings, scanSearchNumbers, type NumberSpan } from './numbers.ts'
import { isDigitWord, tokenizeText, type TextToken } from './tokens.ts'

/**
 * Begins derived terms: dictionary forms, spoken numbers, and digits of a group.
 * Terms are the lexemes of the index. A word as written is its own term without this prefix.
 */
const DERIVED_PREFIX = '\u0002'

/** Marks a term that differs from the written word but also finds it, such as a dictionary form. */
const toDerivedTerm = (term: string): string => DERIVED_PREFIX + term

/** Represents a token of a text with its index terms. */
export interface IndexedToken extends TextToken {
  /** The first term is the word as written. */
  terms: readonly string[]
  /** Further terms that begin here and can include following positions, such as a spoken number. */
  spans?: TermSpan[]
}

/** Represents a term that spans one or more positions of a text, such as a spoken number. */
interface TermSpan {
  term: string
  /** Number of positions. */
  length: number
}

/** Limit the characters and tokens of a text that we index and highlight. */
const MAX_TEXT_CHARACTERS = 250_000
const MAX_TOKENS = 80_000

/** Splits a text into tokens with their index terms. Yields to the event loop, because a new word takes 20 µs. */
export async function analyzeSearchText(text: string): Promise<IndexedToken[]> {
  await loadMorphology()
  const known = new Map<string, readonly string[]>()
  const positions: IndexedToken[] = []
  for (const token of tokenizeText(text.slice(0, MAX_TEXT_CHARACTERS))) {
    const terms = known.get(token.word) ?? listTerms(token.word)
    known.set(token.word, terms)
    positions.push({ ...token, terms })
    if (positions.length === MAX_TOKENS) break
    if (shouldYield()) await yieldToEventLoop()
  }
  for (const { digits, from, to, kind } of scanSearchNumbers(positions)) {
    if (shouldYield()) await yieldToEventLoop()
    if (kind === 'written') continue
    addSpan(positions[from]!, kind === 'ordinal' ? toOrdinalTerm(digits) : toDerivedTerm(digits), to - from)
  }
  for (const { from, length, word } of scanCompoundWords(positions)) {
    if (shouldYield()) await yieldToEventLoop()
    for (const form of getBaseForms(word)) addSpan(positions[from]!, toDerivedTerm(form), length)
  }
  return positions
}

function addSpan(position: IndexedToken, term: string, length: number): void {
  position.spans ??= []
  position.spans.push({ term, length })
}

/** Returns the index terms of a word or number. Skips dictionary forms equal to the word. */
function listTerms(word: string): readonly string[] {
  const forms = [...expandContraction(word).flatMap(getBaseForms), ...getNumberEndings(word)]
  return [...new Set([word, ...forms.filter((form) => form !== word).map(toDerivedTerm)])]
}

/** Words that form contractions with "is" without being names, as in "it's". */
const PRONOUNS = new Set('it what that he she who where there here how when this let'.split(' '))

/**
 * Returns the terms that a query searches for a word: the word and its dictionary forms, written and derived. For digits, see
 * getNumberTerms().
 */
export function getQueryTerms(word: string): string[] {
  if (isDigitWord(word)) return getNumberTerms({ digits: word, kind: 'written' })
  const [first = word, second] = expandContraction(word)
  // "John's" is searched as John. Other contractions are searched as written, because their parts are too frequent.
  const isName = second === undefined || (second === 'is' && !PRONOUNS.has(first))
  const forms = isName ? getBaseForms(first) : []
  return [...new Set([word, ...forms.flatMap(listFormTerms)])]
}

/** Returns both terms of a dictionary form: as the written word, and as derived from another form. */
const listFormTerms = (form: string): string[] => [form, toDerivedTerm(form)]

/** Gives ordinals a term of their own, so that «третий» does not find «три», while 3 finds both. */
const toOrdinalTerm = (digits: string): string => toDerivedTerm(`${digits}#`)

/**
 * Returns the terms that a query searches for a number. All find written digits; ordinals also find ordinals, cardinals find
 * cardinals, digits find both.
 */
export function getNumberTerms({ digits, kind }: Pick<NumberSpan, 'digits' | 'kind'>): string[] {
  if (kind === 'ordinal') return [digits, toOrdinalTerm(digits)]
  return kind === 'cardinal' ? [digits, toDerivedTerm(digits)] : [digits, toDerivedTerm(digits), toOrdinalTerm(digits)]
}

/** Longer compounds are not also indexed as one word. */
const MAX_COMPOUND_PARTS = 4

/** Yields hyphenated compounds of letters as one word, so that "email" finds "e-mail". */
export function* scanCompoundWords(
  tokens: readonly TextToken[],
): Generator<{ word: string; from: number; length: number }> {
  let from = 0
  while (from < tokens.length) {
    let to = from + 1
    while (tokens[to]?.joint === '-') to++
    const length = to - from
    const isComplete = tokens[from]!.joint === undefined && tokens[to]?.joint === undefined
    if (isComplete && length > 1 && length <= MAX_COMPOUND_PARTS) {
      const parts = tokens.slice(from, to).map(({ word }) => word)
      if (!parts.some(isDigitWord)) yield { word: parts.join(''), from, length }
    }
    from = to
  }
}

/** A tsvector is limited to 1 MB. Longer texts are indexed by their first terms. */
const MAX_TSVECTOR_BYTES = 900_000
/** Postgres allows positions up to 16,383, and at most 256 for each lexeme. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
/** Estimated size of a lexeme without its text, and size of each position. */
const LEXEME_BYTES = 8
const POSITION_BYTES = 2

/** Formats analyzed text as the text of a Postgres tsvector of about 900 kB at most. Yields to the event loop. */
export async function formatTsvector(positions: readonly IndexedToken[]): Promise<string> {
  const places = new Map<string, number[]>()
  let bytes = 0
  for (const [index, { terms, spans }] of positions.entries()) {
    if (bytes > MAX_TSVECTOR_BYTES) break
    const position = Math.min(index + 1, MAX_POSITION)
    if (shouldYield()) await yieldToEventLoop()
    for (const term of spans ? [...terms, ...spans.map((span) => span.term)] : terms) {
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
  return Array.from(places, ([term, at]) => `${quoteLexeme(term)}:${at.join()}`).join(' ')
}

/** Quotes a lexeme for the text of a tsvector or tsquery. */
export const quoteLexeme = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`

/** Analyzes a text and returns the text of a Postgres tsvector for the index. */
export const buildTsvector = async (text: string): Promise<string> => formatTsvector(await analyzeSearchText(text))
