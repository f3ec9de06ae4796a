import type { Sql } from '../../platform/db/sql.ts'
import { quoteLexeme } from '../../platform/lib/search/terms.ts'
import {
  formatTsquery,
  isIndexableQuery,
  parseSearchQuery,
  normalizeQuotationMarks,
} from '../../platform/lib/search/query.ts'
import { loadCompiledSynonyms } from './synonyms.ts'

/** A search in transcripts as queries for Postgres. */
export interface TranscriptTextQuery {
  /** A tsquery for the column search_terms. */
  text: string
  /** A tsquery for the column `search` of transcripts without search terms. Undefined if there are none. */
  withoutTerms: string | undefined
  /** False if the search only excludes words, so that the index can find texts only by their days. */
  indexable: boolean
  /** The share of transcripts that Postgres expects to match, above 0 and at most 1. */
  share: number
  /** True if the search has a prefix of frequent words. The index reads all these words again for each query. */
  hasWidePrefix: boolean
}

/** Slightly above 0.005, the largest share that Postgres assumes for words without statistics. */
const RARE_SHARE = 0.006

/** Parses a search in transcripts. Returns undefined if it has no word. */
export async function parseTranscriptTextQuery(sql: Sql, searchText: string): Promise<TranscriptTextQuery | undefined> {
  const query = await parseSearchQuery(searchText, await loadCompiledSynonyms(sql))
  if (!query) return undefined
  const text = formatTsquery(query.root)
  const indexable = isIndexableQuery(query.root)
  const { prefix } = query
  return {
    text,
    withoutTerms: await loadQueryWithoutTerms(sql, searchText, prefix),
    indexable,
    share: indexable ? await estimateMatchShare(sql, text) : 1,
    hasWidePrefix: prefix !== undefined && (await estimateMatchShare(sql, `${quoteLexeme(prefix)}:*`)) > RARE_SHARE,
  }
}

/**
 * SQL that returns true if a transcript has no search terms, otherwise null. The order makes Postgres use the index
 * transcripts_unindexed with any table statistics. This index starts with the transcripts that are reindexed last.
 */
export const HAS_UNINDEXED_TRANSCRIPTS_SQL =
  '(SELECT true FROM transcripts WHERE search_terms IS NULL ORDER BY ready_number NULLS FIRST LIMIT 1)'

/**
 * Builds a query of stems for transcripts that an earlier release stored without search terms. Returns undefined if all
 * transcripts have terms.
 */
async function loadQueryWithoutTerms(sql: Sql, searchText: string, prefix?: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ text: string }>({
    text: `SELECT websearch_to_tsquery('svc_search', $1)::text AS text WHERE ${HAS_UNINDEXED_TRANSCRIPTS_SQL}`,
    // Many minus signs in a row make websearch_to_tsquery() fail with "tsquery stack too small".
    values: [foldText(normalizeQuotationMarks(searchText)).replace(/-+(?=\s|-|$)/g, ' ')],
  })
  const text = rows[0]?.text
  if (text === undefined || prefix === undefined) return text
  const beginning = `${quoteLexeme(prefix)}:*`
  return text.replace(/'(?:[^']|'')+'$/, (last) => `( ${last} | ${beginning} )`)
}

/** Returns the share of transcripts that Postgres expects to match, or 1 without statistics. */
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

/** Replaces ё by е and control characters by spaces, as the index of names does. */
const foldText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/ё/g, 'е')
    .replace(/Ё/g, 'Е')

/** A search in the fields of calls. A call must have all words of at least one alternative. */
export interface CallFieldSearch {
  alternatives: string[]
  /** The digits of the search if it can be a part of a phone number, otherwise an empty string. */
  digits: string
  /** The whole search in lower case. */
  whole: string
}

/** Shorter digit sequences occur in too many phone numbers. */
const MIN_PHONE_DIGITS = 4

/**
 * Parses a search for names, ids and phones. Returns undefined if the search excludes words, because only the text search
 * supports this.
 */
export function parseCallFieldSearch(searchText: string): CallFieldSearch | undefined {
  const text = foldText(normalizeQuotationMarks(searchText))
  if (/(^|\s)-\S/.test(text)) return undefined
  const alternatives = text
    .split(/\s+or\s+/i)
    .map((part) => part.replace(/"/g, ' ').trim())
    .filter(Boolean)
  const digits = /^[+\d\s()./\p{Pd}]*$/u.test(text) ? text.replace(/\D/g, '') : ''
  return { alternatives, digits: digits.length >= MIN_PHONE_DIGITS ? digits : '', whole: text.trim().toLowerCase() }
}
