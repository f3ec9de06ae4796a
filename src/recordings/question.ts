import type { Sql } from '../db.ts'

/** A question as Postgres understands it. */
export interface TextQuery {
  /** A tsquery as text. */
  text: string
  /** Not where it only excludes: then the days must say where the index begins. */
  indexable: boolean
}

/**
 * As the index has it: ё is е; what no text can hold is a space. A minus before nothing says nothing, and of many of
 * them websearch_to_tsquery makes an error.
 */
export const foldText = (text: string): string => fold(text).replace(/-+(?=\s|-|$)/g, ' ')

const fold = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/ё/g, 'е')
    .replace(/Ё/g, 'Е')

/** A beginning of fewer letters says too little. */
const SHORTEST_BEGINNING = 3

/** The words of a folded question, the last of them also as a beginning; undefined where it holds no word. */
export async function parseQuery(sql: Sql, text: string): Promise<TextQuery | undefined> {
  const { rows } = await sql.query<{ text: string; words: number; tree: string }>({
    text: `SELECT q::text AS text, numnode(q) AS words, querytree(q) AS tree
             FROM websearch_to_tsquery('svc_search', $1) AS q`,
    values: [text],
  })
  const { text: query, words, tree } = rows[0]!
  if (words === 0) return undefined
  const beginning = beginningOf(text)
  return {
    text: beginning ? withBeginning(query, beginning) : query,
    indexable: tree !== 'T' && tree !== '',
  }
}

/** The word that a question ends in, where it may go on: not in quotes, not excluded. */
function beginningOf(text: string): string | undefined {
  const [, last = ''] = /(?:^|\s)([\p{L}\p{N}]+)\s*$/u.exec(text) ?? []
  const isQuoted = (text.match(/"/g)?.length ?? 0) % 2 === 1
  return isQuoted || last.length < SHORTEST_BEGINNING || /^or$/i.test(last) ? undefined : last.toLowerCase()
}

/**
 * What is typed is compared with the stems of words: any form of the word itself, or what it begins. The stem of a
 * finished word must not be taken for a beginning: with it, delivered would find deliverance.
 */
const withBeginning = (query: string, beginning: string): string =>
  query.replace(/'(?:[^']|'')+'$/, (word) => `( ${word} | '${beginning}':* )`)

/** A question as words that names are made of: calls must have all words of one of the alternatives. */
export interface Names {
  alternatives: string[]
  /** The digits of a question that can be part of a phone; empty where it cannot. */
  digits: string
  /** The whole question, in small letters. */
  whole: string
}

/** Fewer digits are in too many phones. */
const FEWEST_DIGITS = 4

/** What a question asks of names, ids and phones. Where it excludes words, only texts can tell. */
export function parseNames(question: string): Names | undefined {
  const text = fold(question)
  if (/(^|\s)-\S/.test(text)) return undefined
  const alternatives = text
    .split(/\s+or\s+/i)
    .map((part) => part.replace(/"/g, ' ').trim())
    .filter(Boolean)
  const digits = /^[+\d\s().-]*$/.test(text) ? text.replace(/\D/g, '') : ''
  return { alternatives, digits: digits.length >= FEWEST_DIGITS ? digits : '', whole: text.trim().toLowerCase() }
}
