import type { Sql } from '../../platform/db/sql.ts'
import { getWordForms, loadMorphology } from '../../platform/lib/morphology.ts'
import { quoteLexeme } from '../../platform/lib/search/terms.ts'
import { SqlParameters, type SqlCondition } from '../../platform/lib/sql-conditions.ts'
import { parseCallFieldSearch, type CallFieldSearch } from './search-query.ts'
import { recordingSelectionCondition } from './selection.ts'
import { MAX_SEARCH_RESULTS, formatDaysTsquery, scanSearchDaysBackward, type CallSearchScope } from './search-days.ts'

/** The same expression as in the index recordings_words. */
const NAME_WORDS_SQL = 'recording_words(r.manager_name, r.external_call_id, r.file_name, r.call_at)'

const NEWEST_FIRST_SQL = `ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_SEARCH_RESULTS}`

/**
 * Searches calls by manager, call id, file name or phone. Calls whose id or phone equals the search come first. Whole words, word
 * prefixes and digits of the phone follow. Newer calls come first within each group.
 * @returns at most MAX_SEARCH_RESULTS ids; none if the search excludes words
 */
export async function searchCallsByFields(scope: CallSearchScope, searchText: string): Promise<string[]> {
  const names = parseCallFieldSearch(searchText)
  if (!names || names.alternatives.length === 0) return []
  const found = new Set(await findNewest(scope, exactMatchCondition(names)))
  const addIds = (ids: string[]) => ids.forEach((id) => found.add(id))
  const { whole, beginnings } = await buildWordQueries(scope.sql, names.alternatives)
  if (whole && found.size < MAX_SEARCH_RESULTS) addIds(await findByWords(scope, whole, false))
  // Search prefixes only if whole words give too few results, because the index reads all words with a prefix on all days.
  if (beginnings !== whole && found.size < MAX_SEARCH_RESULTS) addIds(await findByWords(scope, beginnings, true))
  const hasDigits = { sql: 'r.phone_digits LIKE ?', values: [`%${names.digits}%`] }
  if (names.digits && found.size < MAX_SEARCH_RESULTS) addIds(await findNewest(scope, hasDigits))
  return [...found].slice(0, MAX_SEARCH_RESULTS)
}

/** Matches calls whose id or phone equals the whole search. */
const exactMatchCondition = ({ whole, digits }: CallFieldSearch): SqlCondition =>
  digits
    ? { sql: '(lower(r.external_call_id) = ? OR r.phone_digits = ?)', values: [whole, digits] }
    : { sql: 'lower(r.external_call_id) = ?', values: [whole] }

async function findNewest({ sql, among }: CallSearchScope, condition: SqlCondition): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and([condition, ...recordingSelectionCondition(among)])} ${NEWEST_FIRST_SQL}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Searches words from the newest day back until there are enough results. */
async function findByWords(
  { sql, among, days }: CallSearchScope,
  words: string,
  arePrefixes: boolean,
): Promise<string[]> {
  const found: string[] = []
  // For prefixes, a second step would read the same words again, so the first step is larger.
  const expectedShare = arePrefixes ? 0.25 : 1
  const budget = { matches: MAX_SEARCH_RESULTS, results: MAX_SEARCH_RESULTS, expectedShare, canReadRest: true }
  await scanSearchDaysBackward(days, budget, async (step) => {
    const p = new SqlParameters()
    const daysClause = step.isRest ? '' : ` && ${p.add(formatDaysTsquery(step))}::tsquery`
    const { rows } = await sql.query<{ id: string }>({
      // MATERIALIZED makes Postgres use the index. Otherwise Postgres can compute the words of each row, which takes longer.
      text: `WITH matches AS MATERIALIZED (SELECT r.id FROM recordings r WHERE ${NAME_WORDS_SQL} @@ (${p.add(words)}::tsquery${daysClause}))
             SELECT r.id FROM matches JOIN recordings r ON r.id = matches.id WHERE ${p.and(recordingSelectionCondition(among))} ${NEWEST_FIRST_SQL}`,
      values: p.values,
    })
    found.push(...rows.map(({ id }) => id))
    return { matches: rows.length, results: rows.length }
  })
  return found
}

/**
 * Builds two tsqueries that match any alternative. An alternative matches if all its words do. `whole` matches any form of a
 * word. `beginnings` also matches words that start with it, unless it is a single letter. Both are empty without words.
 */
async function buildWordQueries(sql: Sql, alternatives: string[]): Promise<{ whole: string; beginnings: string }> {
  await loadMorphology()
  const { rows } = await sql.query<{ words: string[] }>({
    text: 'SELECT name_words(part) AS words FROM unnest($1::text[]) AS part',
    values: [alternatives],
  })
  const parts = rows.map(({ words }) => words).filter((words) => words.length > 0)
  const join = (format: (word: string) => string) => parts.map((words) => words.map(format).join(' & ')).join(' | ')
  const whole = (word: string) => `( ${getWordForms(word).map(quoteLexeme).join(' | ')} )`
  // Too many words start with a single letter, as in initials.
  const beginning = (word: string) => (word.length > 1 ? `( ${quoteLexeme(word)}:* | ${whole(word)} )` : whole(word))
  return { whole: join(whole), beginnings: join(beginning) }
}
