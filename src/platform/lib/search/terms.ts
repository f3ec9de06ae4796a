import { expandContraction } from '../contractions.ts'
import { listBaseForms, loadMorphology } from '../morphology.ts'
import { shouldYield, yieldToEventLoop } from '../yielder.ts'
import { listNumberEndings, findAllNumbers, type NumberSpan } from './numbers.ts'
import { isNumber, tokenize, type Token } from './tokens.ts'

/**
 * Terms are the lexemes of the index. A word as written is its own term. A derived term begins with this character: a
 * dictionary form, a spoken number, or the digits of a group.
 */
const DERIVED_PREFIX = '\u0002'

/** Marks a term by which a word is also found, such as its dictionary form. */
export const toDerivedTerm = (term: string): string => DERIVED_PREFIX + term

/** One position of a text: a token with its terms. */
export interface TextPosition extends Token {
  /** The word as written comes first. */
  terms: readonly string[]
  /** Terms of this and the following positions together. */
  spans?: TermSpan[]
}

/** A term that begins at a position. */
export interface TermSpan {
  term: string
  /** The number of positions. */
  length: number
}

/** The characters and tokens of a text that we index and mark: more than the longest call has. */
const MAX_TEXT_CHARACTERS = 250_000
const MAX_TOKENS = 80_000

/** Finds the terms of a text, position by position. Yields to the event loop, because new words take 20 µs each. */
export async function analyzeText(text: string): Promise<TextPosition[]> {
  await loadMorphology()
  const known = new Map<string, readonly string[]>()
  const positions: TextPosition[] = []
  for (const token of tokenize(text.slice(0, MAX_TEXT_CHARACTERS))) {
    const terms = known.get(token.word) ?? listTerms(token.word)
    known.set(token.word, terms)
    positions.push({ ...token, terms })
    if (positions.length === MAX_TOKENS) break
    if (shouldYield()) await yieldToEventLoop()
  }
  for (const { digits, from, to, kind } of findAllNumbers(positions)) {
    if (shouldYield()) await yieldToEventLoop()
    if (kind === 'written') continue
    addSpan(positions[from]!, kind === 'ordinal' ? toOrdinalTerm(digits) : toDerivedTerm(digits), to - from)
  }
  for (const { from, length, word } of findCompoundWords(positions)) {
    if (shouldYield()) await yieldToEventLoop()
    for (const form of listBaseForms(word)) addSpan(positions[from]!, toDerivedTerm(form), length)
  }
  return positions
}

function addSpan(position: TextPosition, term: string, length: number): void {
  position.spans ??= []
  position.spans.push({ term, length })
}

/** The terms of a word or number of a text. A dictionary form that the word itself has needs no second term. */
function listTerms(word: string): readonly string[] {
  const forms = [...expandContraction(word).flatMap(listBaseForms), ...listNumberEndings(word)]
  return [...new Set([word, ...forms.filter((form) => form !== word).map(toDerivedTerm)])]
}

/** Words that contract with "is", besides names: "it's". */
const PRONOUNS = new Set('it what that he she who where there here how when this let'.split(' '))

/** The terms by which a word of a query is found: each of its dictionary forms, written or derived. */
export function listQueryTerms(word: string): string[] {
  if (isNumber(word)) return listNumberTerms({ digits: word, kind: 'written' })
  const [first = word, second] = expandContraction(word)
  // "John's" is found as John. Other contractions are found as written: their words are too frequent.
  const isName = second === undefined || (second === 'is' && !PRONOUNS.has(first))
  const forms = isName ? listBaseForms(first) : []
  return [...new Set([word, ...forms.flatMap(listFormTerms)])]
}

/** The terms by which a text has a dictionary form: as the word itself, or of another form. */
const listFormTerms = (form: string): string[] => [form, toDerivedTerm(form)]

/** An ordinal has a term of its own, so that «третий» does not find «три»; 3 finds both. */
const toOrdinalTerm = (digits: string): string => toDerivedTerm(`${digits}#`)

/** The terms by which a number of a query is found. */
export function listNumberTerms({ digits, kind }: Pick<NumberSpan, 'digits' | 'kind'>): string[] {
  if (kind === 'ordinal') return [digits, toOrdinalTerm(digits)]
  return kind === 'cardinal' ? [digits, toDerivedTerm(digits)] : [digits, toDerivedTerm(digits), toOrdinalTerm(digits)]
}

/** The maximum number of parts of words that are also found without hyphens. */
const MAX_COMPOUND_PARTS = 4

/** Compounds of letters with hyphens, as one word: "e-mail" is found as "email". */
export function* findCompoundWords(
  tokens: readonly Token[],
): Generator<{ word: string; from: number; length: number }> {
  let from = 0
  while (from < tokens.length) {
    let to = from + 1
    while (tokens[to]?.joint === '-') to++
    const length = to - from
    const isComplete = tokens[from]!.joint === undefined && tokens[to]?.joint === undefined
    if (isComplete && length > 1 && length <= MAX_COMPOUND_PARTS) {
      const parts = tokens.slice(from, to).map(({ word }) => word)
      if (!parts.some(isNumber)) yield { word: parts.join(''), from, length }
    }
    from = to
  }
}

/** A tsvector has at most 1 MB; a longer text is found by its first terms. */
const MAX_TSVECTOR_BYTES = 900_000
/** Limits of Postgres for the positions of a tsvector. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
/** Bytes of a lexeme besides its text, and of each position. */
const LEXEME_BYTES = 8
const POSITION_BYTES = 2

/** The terms of a text as the text form of a tsvector. Yields to the event loop. */
export async function formatTsvector(positions: readonly TextPosition[]): Promise<string> {
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
  return Array.from(places, ([term, at]) => `${quoteTerm(term)}:${at.join()}`).join(' ')
}

/** A lexeme in the text form of a tsvector or a tsquery. */
export const quoteTerm = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`

/** The terms of a text for the index, as the text form of a tsvector. */
export const indexText = async (text: string): Promise<string> => formatTsvector(await analyzeText(text))
