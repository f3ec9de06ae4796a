import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { TtlCache } from '../../platform/lib/ttl-cache.ts'
import { SqlParameters, toConditions } from '../../platform/lib/sql-conditions.ts'
import type { TranscriptTextQuery } from './search-query.ts'
import {
  MAX_SEARCH_RESULTS,
  formatDaysTsquery,
  formatDaySearchTerm,
  scanSearchDaysBackward,
  type CallSearchScope,
  type SearchDayStep,
} from './search-days.ts'
import { RECORDING_RANGE_COLUMNS, recordingSelectionCondition } from './selection.ts'

/** The minimum number of newest matches that a search ranks, if there are so many. */
const MIN_RANKED_MATCHES = 20_000

/** A call with a matching text and its ts_rank. */
interface RankedCall {
  id: string
  rank: number
}

/**
 * Searches calls by text and returns at most MAX_SEARCH_RESULTS ids, best matches first. The scan goes from the newest day back
 * and stops when enough matches are ranked.
 */
export async function searchCallsByText(
  core: Core,
  scope: CallSearchScope,
  query: TranscriptTextQuery,
): Promise<string[]> {
  const best: RankedCall[] = []
  const { share: expectedShare, indexable: canReadRest } = query
  const budget = { matches: MIN_RANKED_MATCHES, results: MAX_SEARCH_RESULTS, expectedShare, canReadRest }
  const isFiltered = recordingSelectionCondition(scope.among).length > 0
  const lastReadyNumber = await loadLastReadyNumber(scope.sql)
  await scanSearchDaysBackward(scope.days, budget, async (step) => {
    if (step.isRest && isFiltered) {
      const found = await findRemainingMatches(scope, query, step)
      best.push(...found)
      return { matches: found.length, results: found.length }
    }
    const matches = await findStepMatches(core, query, step, lastReadyNumber)
    const chosen = await filterMatches(scope, matches)
    // This statement names no days, so its result includes the matches of newer days.
    if (step.isRest) best.length = 0
    best.push(...chosen)
    return { matches: matches.count, results: chosen.length }
  })
  return best
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_SEARCH_RESULTS)
    .map(({ id }) => id)
}

/** The matches of a step, best first, as arrays in the binary format of Postgres. We only send them back to Postgres. */
interface StepMatches {
  count: number
  ids: Buffer
  ranks: Buffer
}

/**
 * Finding and ranking 20,000 texts takes 100 to 300 ms and does not depend on the filters. A page of the panel requests
 * several lists and counts of the same search with different filters.
 */
const stepCache = new TtlCache<StepMatches>({ ttlMs: 30_000, maxEntries: 16 })
/** Larger results are not cached, because each match takes 28 bytes. */
const MAX_CACHED_MATCHES = 50_000

/**
 * Loads the highest ready number. A stored or replaced text always gets a higher number, so cached matches of a lower number are
 * outdated.
 */
async function loadLastReadyNumber(sql: Sql): Promise<string> {
  const { rows } = await sql.query<{ last: string }>({
    text: 'SELECT coalesce(max(ready_number), 0) AS last FROM transcripts',
  })
  return rows[0]!.last
}

/**
 * Finds the matching texts on the days of a step, from the cache if possible. The cache key changes with new texts and with calls
 * that move to another day.
 */
async function findStepMatches(
  { pool }: Core,
  query: TranscriptTextQuery,
  step: SearchDayStep,
  lastReadyNumber: string,
): Promise<StepMatches> {
  const key = JSON.stringify([query.text, query.withoutTerms, lastReadyNumber, step.isRest || step.days])
  const matches = await stepCache.getOrCompute(pool, key, async () => {
    const p = new SqlParameters()
    const { rows } = await pool.query<StepMatches>({
      text: `SELECT count(*)::integer AS count, array_send(coalesce(array_agg(id), '{}')) AS ids,
                    array_send(coalesce(array_agg(rank), '{}')) AS ranks
               FROM (SELECT * FROM (${stepMatchesSql(p, query, step)}) AS found ORDER BY rank DESC, id DESC) AS matches`,
      values: p.values,
    })
    return rows[0]!
  })
  if (matches.count > MAX_CACHED_MATCHES) stepCache.delete(pool, key)
  return matches
}

/**
 * Returns a statement that finds and ranks the matches of a step, with one query per day. For 20,000 matches on 80 days, this
 * takes 34 ms, and one query for all days takes 214 ms. With a frequent prefix, one query for all days is 20 times as fast,
 * because each query reads all words with the prefix.
 */
function stepMatchesSql(p: SqlParameters, query: TranscriptTextQuery, step: SearchDayStep): string {
  if (step.isRest) return rankedTextsSql(p, query)
  if (query.hasWidePrefix) return rankedTextsSql(p, query, { days: p.add(formatDaysTsquery(step)) })
  const days = p.add(step.days.map(({ day }) => formatDaySearchTerm(day)))
  const matching = rankedTextsSql(p, query, { days: 'day' })
  return `SELECT one.* FROM unnest(${days}::text[]) AS day CROSS JOIN LATERAL (${matching}) AS one`
}

interface RankedTextsLimits {
  /** SQL of a tsquery that matches days. */
  days?: string
  /** SQL condition on the recording r. */
  chosen?: string
}

/**
 * Returns a statement that finds texts and their ranks by search terms. While some texts have no search terms, it also searches
 * these by the older column.
 */
function rankedTextsSql(
  p: SqlParameters,
  { text, withoutTerms }: TranscriptTextQuery,
  { days, chosen }: RankedTextsLimits = {},
): string {
  const join = chosen === undefined ? '' : 'JOIN recordings r ON r.id = t.recording_id'
  const found = (column: string, value: string, condition = 'true') => {
    const query = `${p.add(value)}::tsquery`
    return `SELECT t.recording_id AS id, ts_rank(t.${column}, ${query}) AS rank FROM transcripts t ${join}
             WHERE t.${column} @@ ${days === undefined ? query : `(${query} && ${days}::tsquery)`}
               AND ${condition} AND ${chosen ?? 'true'}`
  }
  const byTerms = found('search_terms', text)
  return withoutTerms === undefined
    ? byTerms
    : `${byTerms} UNION ALL ${found('search', withoutTerms, 't.search_terms IS NULL')}`
}

/** Applies the current filters and permissions to matches. Skips calls that are not DONE, because their text can be deleted. */
async function filterMatches({ sql, among }: CallSearchScope, matches: StepMatches): Promise<RankedCall[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<RankedCall>({
    text: `SELECT m.id, m.rank
             FROM unnest(${p.add(matches.ids)}::uuid[], ${p.add(matches.ranks)}::real[]) WITH ORDINALITY AS m (id, rank, place)
             JOIN recordings r ON r.id = m.id
            WHERE r.status = 'DONE' AND ${p.and(recordingSelectionCondition(among))} ORDER BY m.place LIMIT ${MAX_SEARCH_RESULTS}`,
    values: p.values,
  })
  return rows
}

/** Searches all remaining days at once. Postgres can start with the matches or with the filtered calls, whichever are fewer. */
async function findRemainingMatches(
  { sql, among }: CallSearchScope,
  query: TranscriptTextQuery,
  { days }: SearchDayStep,
): Promise<RankedCall[]> {
  const p = new SqlParameters()
  const end = new Date((days[0]!.day + 1) * RECORDING_RANGE_COLUMNS.call.width)
  const chosen = p.and([...recordingSelectionCondition(among), ...toConditions(['r.call_at < ?', end])])
  const { rows } = await sql.query<RankedCall>({
    // MATERIALIZED makes Postgres sort only ids and ranks, without the terms of each row.
    text: `WITH matches AS MATERIALIZED (${rankedTextsSql(p, query, { chosen })})
           SELECT id, rank FROM matches ORDER BY rank DESC, id DESC LIMIT ${MAX_SEARCH_RESULTS}`,
    values: p.values,
  })
  return rows
}
