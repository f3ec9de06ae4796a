import type { Sql } from '../../platform/db/sql.ts'
import { Parameters, type Condition } from '../../platform/lib/where.ts'
import type { Day } from './counts.ts'
import { parseNames, type Names } from './question.ts'
import { rowsOf, type Selection } from './selection.ts'
import { onDays, scanDaysBackward } from './search-days.ts'

/** As the index recordings_words has it. */
const WORDS = 'recording_words(r.manager_name, r.external_call_id, r.file_name, r.call_at)'

const NEWEST = 'ORDER BY r.call_at DESC, r.id DESC LIMIT'

/**
 * Finds at most `most` calls by manager, call id, file name or phone. The best come first: those whose id or phone is the
 * question, those with its whole words, those with words that begin with its words, and those with its digits in their
 * phone; newer calls before older ones.
 */
export async function findNamed(
  sql: Sql,
  question: string,
  among: Selection,
  days: Day[],
  most: number,
): Promise<string[]> {
  const names = parseNames(question)
  if (!names || names.alternatives.length === 0) return []
  const found = new Set(await findNewest(sql, equalTo(names), among, most))
  const add = (ids: string[]) => ids.forEach((id) => found.add(id))
  const { whole, beginnings } = await wordQueries(sql, names.alternatives)
  if (whole && found.size < most) add(await findByWords(sql, whole, false, among, days, most))
  // After the whole words, because the index gathers all words with a prefix, whatever the days.
  if (beginnings !== whole && found.size < most) add(await findByWords(sql, beginnings, true, among, days, most))
  if (names.digits && found.size < most)
    add(await findNewest(sql, { sql: 'r.phone_digits LIKE ?', values: [`%${names.digits}%`] }, among, most))
  return [...found].slice(0, most)
}

/** Calls whose id or phone is the question itself. */
const equalTo = ({ whole, digits }: Names): Condition =>
  digits
    ? { sql: '(lower(r.external_call_id) = ? OR r.phone_digits = ?)', values: [whole, digits] }
    : { sql: 'lower(r.external_call_id) = ?', values: [whole] }

async function findNewest(sql: Sql, condition: Condition, among: Selection, most: number): Promise<string[]> {
  const p = new Parameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and([condition, ...rowsOf(among)])} ${NEWEST} ${most}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** From the newest day back, until there are enough. */
async function findByWords(
  sql: Sql,
  words: string,
  arePrefixes: boolean,
  among: Selection,
  days: Day[],
  most: number,
): Promise<string[]> {
  const found: string[] = []
  // A second step for prefixes would gather their words again.
  const expectedShare = arePrefixes ? 0.25 : 1
  const budget = { matches: most, results: most, expectedShare, canReadRest: true }
  await scanDaysBackward(days, budget, async (step) => {
    const p = new Parameters()
    const query = `${p.add(words)}::tsquery`
    const find = (asked: string) => `SELECT r.id FROM recordings r WHERE ${WORDS} @@ ${asked}`
    const matches = step.isRest ? find(query) : onDays(p, step, arePrefixes, (days) => find(`(${query} && ${days})`))
    const { rows } = await sql.query<{ id: string }>({
      // Materialized, so that Postgres uses the index: computing the words of a row takes longer.
      text: `WITH matches AS MATERIALIZED (${matches})
             SELECT r.id FROM matches JOIN recordings r ON r.id = matches.id WHERE ${p.and(rowsOf(among))} ${NEWEST} ${most}`,
      values: p.values,
    })
    found.push(...rows.map(({ id }) => id))
    return { matches: rows.length, results: rows.length }
  })
  return found
}

/** The alternatives as tsqueries of the words that the index has, as whole words and as beginnings; empty without words. */
async function wordQueries(sql: Sql, alternatives: string[]): Promise<{ whole: string; beginnings: string }> {
  const { rows } = await sql.query<{ words: string[] }>({
    text: 'SELECT name_words(part) AS words FROM unnest($1::text[]) AS part',
    values: [alternatives],
  })
  const parts = rows.map(({ words }) => words).filter((words) => words.length > 0)
  const join = (quote: (word: string) => string) => parts.map((words) => words.map(quote).join(' & ')).join(' | ')
  const whole = (word: string) => `'${word.replace(/['\\]/g, '$&$&')}'`
  // A single letter, as in initials, begins too many words.
  return { whole: join(whole), beginnings: join((word) => (word.length > 1 ? `${whole(word)}:*` : whole(word))) }
}
