import type { Sql } from '../../platform/db/sql.ts'
import { quoteTerm } from '../../platform/lib/search/terms.ts'
import { formatTsquery, isIndexableQuery, parseSearchQuery, normalizeQuotes } from '../../platform/lib/search/query.ts'
import { loadSynonyms } from './synonyms.ts'

/** A text query for Postgres. */
export interface TextQuery {
  /** A tsquery as text, for the column search_terms. */
  text: string
  /** The query for the column `search`; undefined if every text has its terms. */
  withoutTerms: string | undefined
  /** False if it only excludes: the index cannot find its texts without their days. */
  indexable: boolean
  /** The share of texts that Postgres expects to match, by its statistics of frequent words: above 0, at most 1. */
  share: number
  /** Whether it has a prefix of frequent words: the index reads them again for each query. */
  hasWidePrefix: boolean
}

/** Above the share that Postgres expects of unknown words (0.005). */
const RARE_SHARE = 0.006

/** Parses a search; undefined if it has no word. */
export async function parseTextQuery(sql: Sql, searchText: string): Promise<TextQuery | undefined> {
  const query = await parseSearchQuery(searchText, await loadSynonyms(sql))
  if (!query) return undefined
  const text = formatTsquery(query.root)
  const indexable = isIndexableQuery(query.root)
  const { prefix } = query
  return {
    text,
    withoutTerms: await loadQueryWithoutTerms(sql, searchText, prefix),
    indexable,
    share: indexable ? await estimateMatchShare(sql, text) : 1,
    hasWidePrefix: prefix !== undefined && (await estimateMatchShare(sql, `${quoteTerm(prefix)}:*`)) > RARE_SHARE,
  }
}

/**
 * SQL: whether a text has no terms, true or null. The order makes Postgres use the index transcripts_unindexed, whatever its
 * statistics. It begins where reindexing ends.
 */
export const HAS_UNINDEXED_TEXTS_SQL =
  '(SELECT true FROM transcripts WHERE search_terms IS NULL ORDER BY ready_number NULLS FIRST LIMIT 1)'

/** A query of stems for the texts that have no terms yet: those of the release before, until they are reindexed. */
async function loadQueryWithoutTerms(sql: Sql, searchText: string, prefix?: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ text: string }>({
    text: `SELECT websearch_to_tsquery('svc_search', $1)::text AS text WHERE ${HAS_UNINDEXED_TEXTS_SQL}`,
    // Postgres fails on many minus signs without a word.
    values: [foldText(normalizeQuotes(searchText)).replace(/-+(?=\s|-|$)/g, ' ')],
  })
  const text = rows[0]?.text
  if (text === undefined || prefix === undefined) return text
  const beginning = `${quoteTerm(prefix)}:*`
  return text.replace(/'(?:[^']|'')+'$/, (last) => `( ${last} | ${beginning} )`)
}

/** The expected share of texts that match a tsquery; 1 without statistics. */
async function estimateMatchShare(sql: Sql, query: string): Promise<number> {
  const { rows: sizes } = await sql.query<{ texts: number }>({
    text: `SELECT reltuples AS texts FROM pg_class WHERE oid = 'transcripts'::regclass`,
  })
  const { texts } = sizes[0]!
  if (texts <= 0) return 1
  const { rows } = await sql.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>({
    text: 'EXPLAIN (FORMAT JSON) SELECT FROM transcripts t WHERE t.search_terms @@ $1::tsquery',
    values: [query],
  })
  return Math.min(1, Math.max(1, rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']) / texts)
}

/** Like the index of names: ё is е, and control characters are spaces. */
const foldText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/ё/g, 'е')
    .replace(/Ё/g, 'Е')

/** A question as words of names: calls must have all words of one of the alternatives. */
export interface NameSearch {
  alternatives: string[]
  /** The digits of a question that can be part of a phone; empty if it cannot. */
  digits: string
  /** The whole question, in lower case. */
  whole: string
}

/** Too many phones contain fewer digits. */
const MIN_PHONE_DIGITS = 4

/** Parses a question for names, ids and phones; undefined if it excludes words, because only texts have these. */
export function parseNameSearch(searchText: string): NameSearch | undefined {
  const text = foldText(normalizeQuotes(searchText))
  if (/(^|\s)-\S/.test(text)) return undefined
  const alternatives = text
    .split(/\s+or\s+/i)
    .map((part) => part.replace(/"/g, ' ').trim())
    .filter(Boolean)
  const digits = /^[+\d\s()./\p{Pd}]*$/u.test(text) ? text.replace(/\D/g, '') : ''
  return { alternatives, digits: digits.length >= MIN_PHONE_DIGITS ? digits : '', whole: text.trim().toLowerCase() }
}
