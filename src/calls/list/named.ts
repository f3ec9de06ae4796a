import type { Sql } from '../../platform/db/sql.ts'
import { allForms, loadLemmas } from '../../platform/lib/morphology.ts'
import { quoteTerm } from '../../platform/lib/search/terms.ts'
import { Parameters, type Condition } from '../../platform/lib/where.ts'
import { parseNames, type Names } from './question.ts'
import { rowsOf } from './selection.ts'
import { MAX_RESULTS, daysQuery, scanDaysBackward, type SearchScope } from './search-days.ts'

/** Like the index recordings_words. */
const WORDS = 'recording_words(r.manager_name, r.external_call_id, r.file_name, r.call_at)'

const NEWEST = `ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_RESULTS}`

/**
 * Finds calls by manager, call id, file name or phone. First come calls whose id or phone
 * equals the question, then matches of whole words, of their beginnings, and of digits of the phone. Newer calls come first.
 */
export async function findNamed(scope: SearchScope, question: string): Promise<string[]> {
  const names = parseNames(question)
  if (!names || names.alternatives.length === 0) return []
  const found = new Set(await findNewest(scope, equalTo(names)))
  const add = (ids: string[]) => ids.forEach((id) => found.add(id))
  const { whole, beginnings } = await wordQueries(scope.sql, names.alternatives)
  if (whole && found.size < MAX_RESULTS) add(await findByWords(scope, whole, false))
  // After the whole words, because the index reads all words with a prefix, whatever the days.
  if (beginnings !== whole && found.size < MAX_RESULTS) add(await findByWords(scope, beginnings, true))
  const hasDigits = { sql: 'r.phone_digits LIKE ?', values: [`%${names.digits}%`] }
  if (names.digits && found.size < MAX_RESULTS) add(await findNewest(scope, hasDigits))
  return [...found].slice(0, MAX_RESULTS)
}

/** Calls whose id or phone equals the question. */
const equalTo = ({ whole, digits }: Names): Condition =>
  digits
    ? { sql: '(lower(r.external_call_id) = ? OR r.phone_digits = ?)', values: [whole, digits] }
    : { sql: 'lower(r.external_call_id) = ?', values: [whole] }

async function findNewest({ sql, among }: SearchScope, condition: Condition): Promise<string[]> {
  const p = new Parameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and([condition, ...rowsOf(among)])} ${NEWEST}`,
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
    const p = new Parameters()
    const ofDays = step.isRest ? '' : ` && ${p.add(daysQuery(step))}::tsquery`
    const { rows } = await sql.query<{ id: string }>({
      // Materialized, so that Postgres uses the index: computing the words of a row takes longer.
      text: `WITH matches AS MATERIALIZED (SELECT r.id FROM recordings r WHERE ${WORDS} @@ (${p.add(words)}::tsquery${ofDays}))
             SELECT r.id FROM matches JOIN recordings r ON r.id = matches.id WHERE ${p.and(rowsOf(among))} ${NEWEST}`,
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
async function wordQueries(sql: Sql, alternatives: string[]): Promise<{ whole: string; beginnings: string }> {
  await loadLemmas()
  const { rows } = await sql.query<{ words: string[] }>({
    text: 'SELECT name_words(part) AS words FROM unnest($1::text[]) AS part',
    values: [alternatives],
  })
  const parts = rows.map(({ words }) => words).filter((words) => words.length > 0)
  const join = (format: (word: string) => string) => parts.map((words) => words.map(format).join(' & ')).join(' | ')
  const whole = (word: string) => `( ${allForms(word).map(quoteTerm).join(' | ')} )`
  // A single letter, as in initials, begins too many words.
  const beginning = (word: string) => (word.length > 1 ? `( ${quoteTerm(word)}:* | ${whole(word)} )` : whole(word))
  return { whole: join(whole), beginnings: join(beginning) }
}
