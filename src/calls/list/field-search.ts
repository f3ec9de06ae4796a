import type { Sql } from '../../platform/db/sql.ts'
import { listWordForms, loadMorphology } from '../../platform/lib/morphology.ts'
import { quoteTerm } from '../../platform/lib/search/terms.ts'
import { SqlParameters, type Condition } from '../../platform/lib/sql-conditions.ts'
import { parseNameSearch, type NameSearch } from './search-query.ts'
import { selectionCondition } from './selection.ts'
import { MAX_RESULTS, formatDaysTsquery, scanDaysBackward, type SearchScope } from './search-days.ts'

/** Like the index recordings_words. */
const NAME_WORDS_SQL = 'recording_words(r.manager_name, r.external_call_id, r.file_name, r.call_at)'

const NEWEST_FIRST_SQL = `ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_RESULTS}`

/**
 * Finds calls by manager, call id, file name or phone. First come calls whose id or phone
 * equals the question, then matches of whole words, of their beginnings, and of digits of the phone. Newer calls come first.
 */
export async function findByFields(scope: SearchScope, searchText: string): Promise<string[]> {
  const names = parseNameSearch(searchText)
  if (!names || names.alternatives.length === 0) return []
  const found = new Set(await findNewest(scope, exactMatchCondition(names)))
  const addIds = (ids: string[]) => ids.forEach((id) => found.add(id))
  const { whole, beginnings } = await buildWordQueries(scope.sql, names.alternatives)
  if (whole && found.size < MAX_RESULTS) addIds(await findByWords(scope, whole, false))
  // After the whole words, because the index reads all words with a prefix, whatever the days.
  if (beginnings !== whole && found.size < MAX_RESULTS) addIds(await findByWords(scope, beginnings, true))
  const hasDigits = { sql: 'r.phone_digits LIKE ?', values: [`%${names.digits}%`] }
  if (names.digits && found.size < MAX_RESULTS) addIds(await findNewest(scope, hasDigits))
  return [...found].slice(0, MAX_RESULTS)
}

/** Calls whose id or phone equals the question. */
const exactMatchCondition = ({ whole, digits }: NameSearch): Condition =>
  digits
    ? { sql: '(lower(r.external_call_id) = ? OR r.phone_digits = ?)', values: [whole, digits] }
    : { sql: 'lower(r.external_call_id) = ?', values: [whole] }

async function findNewest({ sql, among }: SearchScope, condition: Condition): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and([condition, ...selectionCondition(among)])} ${NEWEST_FIRST_SQL}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** From the newest day back, until there are enough. */
async function findByWords({ sql, among, days }: SearchScope, words: string, arePrefixes: boolean): Promise<string[]> {
  const found: string[] = []
  // A second step for prefixes would read their words again.
  const expectedShare = arePrefixes ? 0.25 : 1
  const budget = { matches: MAX_RESULTS, results: MAX_RESULTS, expectedShare, canReadRest: true }
  await scanDaysBackward(days, budget, async (step) => {
    const p = new SqlParameters()
    const daysClause = step.isRest ? '' : ` && ${p.add(formatDaysTsquery(step))}::tsquery`
    const { rows } = await sql.query<{ id: string }>({
      // Materialized, so that Postgres uses the index: computing the words of a row takes longer.
      text: `WITH matches AS MATERIALIZED (SELECT r.id FROM recordings r WHERE ${NAME_WORDS_SQL} @@ (${p.add(words)}::tsquery${daysClause}))
             SELECT r.id FROM matches JOIN recordings r ON r.id = matches.id WHERE ${p.and(selectionCondition(among))} ${NEWEST_FIRST_SQL}`,
      values: p.values,
    })
    found.push(...rows.map(({ id }) => id))
    return { matches: rows.length, results: rows.length }
  })
  return found
}

/**
 * The alternatives as tsqueries of the words that the index has; empty without words. `whole` matches any form of each
 * word, `beginnings` also words that begin with it.
 */
async function buildWordQueries(sql: Sql, alternatives: string[]): Promise<{ whole: string; beginnings: string }> {
  await loadMorphology()
  const { rows } = await sql.query<{ words: string[] }>({
    text: 'SELECT name_words(part) AS words FROM unnest($1::text[]) AS part',
    values: [alternatives],
  })
  const parts = rows.map(({ words }) => words).filter((words) => words.length > 0)
  const join = (format: (word: string) => string) => parts.map((words) => words.map(format).join(' & ')).join(' | ')
  const whole = (word: string) => `( ${listWordForms(word).map(quoteTerm).join(' | ')} )`
  // A single letter, as in initials, begins too many words.
  const beginning = (word: string) => (word.length > 1 ? `( ${quoteTerm(word)}:* | ${whole(word)} )` : whole(word))
  return { whole: join(whole), beginnings: join(beginning) }
}
