import type { Sql } from '../../platform/db/sql.ts'

/** A question as Postgres understands it. */
export interface TextQuery {
  /** A tsquery as text. */
  text: string
  /** Not where it only excludes: then the days must say where the index begins. */
  indexable: boolean
  /** The share of the texts that Postgres expects to match, by its statistics of frequent words: above 0, at most 1. */
  share: number
  /** Whether a word of it is a beginning that many words have, which the index gathers anew each time it is asked. */
  hasWideBeginning: boolean
}

/**
 * As the index has it: ё is е, and what no text can hold is a space. A minus with no word behind it is dropped:
 * websearch_to_tsquery fails on many of them.
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
export async function parseQuery(sql: Sql, question: string): Promise<TextQuery | undefined> {
  const { rows } = await sql.query<{ text: string; words: number; tree: string; texts: number }>({
    text: `SELECT q::text AS text, numnode(q) AS words, querytree(q) AS tree,
                  (SELECT reltuples FROM pg_class WHERE oid = 'transcripts'::regclass) AS texts
             FROM websearch_to_tsquery('svc_search', $1) AS q`,
    values: [question],
  })
  const { text: words, words: count, tree, texts } = rows[0]!
  if (count === 0) return undefined
  const indexable = tree !== 'T' && tree !== ''
  const beginning = beginningOf(question)
  const text = beginning ? withBeginning(words, beginning) : words
  return {
    text,
    indexable,
    share: indexable ? await shareOf(sql, text, texts) : 1,
    hasWideBeginning: beginning !== undefined && (await shareOf(sql, beginningWord(beginning), texts)) > RARE,
  }
}

/** Above what Postgres expects of words that it knows nothing of (0.005). */
const RARE = 0.006

/** The share of `texts` texts that a tsquery is expected to match; 1 where nothing is known of them yet. */
async function shareOf(sql: Sql, query: string, texts: number): Promise<number> {
  if (texts <= 0) return 1
  const { rows } = await sql.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>({
    text: 'EXPLAIN (FORMAT JSON) SELECT FROM transcripts t WHERE t.search @@ $1::tsquery',
    values: [query],
  })
  return Math.min(1, Math.max(1, rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']) / texts)
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
  query.replace(/'(?:[^']|'')+'$/, (word) =>
    word.startsWith(`'${beginning}`) ? beginningWord(beginning) : `( ${word} | ${beginningWord(beginning)} )`,
  )

const beginningWord = (beginning: string): string => `'${beginning}':*`

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
