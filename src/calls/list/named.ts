import type { Sql } from '../../platform/db/sql.ts'
import { escapeLike, Parameters, where } from '../../platform/lib/where.ts'
import type { Day } from './counts.ts'
import { parseNames, type Names } from './question.ts'
import { rowsOf, type Selection } from './selection.ts'
import { anyOf, coverDays, walkDays } from './search-days.ts'

/** As the index recordings_words has it. */
const WORDS = 'recording_words(r.manager_name, r.external_call_id, r.file_name, r.call_at)'

/** Of which share of the calls the first step is for: a second one for beginnings costs as much again. */
const SHARE = { whole: 1, beginnings: 0.25 }

/**
 * Calls that a question finds by manager, call id, file name or phone, at most `most`. The best come first: those
 * whose id or phone is the question, then those with its whole words, then those with words that it begins and those
 * with its digits in their phone; the newer before its equals.
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
  const found = new Set(await findEqual(sql, names, among, most))
  const words = await queryOf(sql, names.alternatives)
  // Beginnings only where whole words were too few: the index gathers what begins so from all calls, whatever the days.
  for (const kind of ['whole', 'beginnings'] as const)
    if (words && found.size < most && (kind === 'whole' || words.beginnings !== words.whole))
      for (const id of await findByWords(sql, words[kind], among, days, { most, share: SHARE[kind] })) found.add(id)
  if (names.digits && found.size < most)
    for (const id of await findByDigits(sql, names.digits, among, most)) found.add(id)
  return [...found].slice(0, most)
}

const NEWEST = 'ORDER BY r.call_at DESC, r.id DESC LIMIT'

/** Calls whose id or phone is the question itself. */
async function findEqual(sql: Sql, { whole, digits }: Names, among: Selection, most: number): Promise<string[]> {
  const p = new Parameters()
  const fields = ['lower(r.external_call_id) = ?']
  const values: unknown[] = [whole]
  if (digits) fields.push('r.phone_digits = ?')
  if (digits) values.push(digits)
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and([{ sql: `(${fields.join(' OR ')})`, values }, ...rowsOf(among)])}
            ${NEWEST} ${most}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** From the newest day back, until there are enough. */
async function findByWords(
  sql: Sql,
  asked: string,
  among: Selection,
  days: Day[],
  { most, share }: { most: number; share: number },
): Promise<string[]> {
  const found: string[] = []
  await walkDays(days, { enough: most, least: most, share, wholeRest: true }, async (step) => {
    const p = new Parameters()
    const days = step.isRest ? '' : ` && ${p.add(anyOf(coverDays(step)))}::tsquery`
    const { rows } = await sql.query<{ id: string }>({
      // By the index alone, because to make the words of a row anew takes longer than to find it.
      text: `WITH matching AS MATERIALIZED (SELECT r.id FROM recordings r WHERE ${WORDS} @@ (${p.add(asked)}::tsquery${days}))
             SELECT r.id FROM matching JOIN recordings r ON r.id = matching.id
              WHERE ${p.and(rowsOf(among))} ${NEWEST} ${most}`,
      values: p.values,
    })
    found.push(...rows.map(({ id }) => id))
    return { looked: rows.length, found: rows.length }
  })
  return found
}

/** The alternatives in words as the index has them: whole, and as beginnings. */
async function queryOf(sql: Sql, alternatives: string[]): Promise<{ whole: string; beginnings: string } | undefined> {
  const { rows } = await sql.query<{ words: string[] }>({
    text: 'SELECT name_words(part) AS words FROM unnest($1::text[]) AS part',
    values: [alternatives],
  })
  const parts = rows.map(({ words }) => words).filter((words) => words.length > 0)
  if (parts.length === 0) return undefined
  const join = (asBeginning: boolean) =>
    parts.map((words) => words.map((word) => lexeme(word, asBeginning)).join(' & ')).join(' | ')
  return { whole: join(false), beginnings: join(true) }
}

/** One letter alone, as in initials, begins too much. */
const lexeme = (word: string, asBeginning: boolean): string =>
  `'${word.replace(/['\\]/g, '$&$&')}'${asBeginning && word.length > 1 ? ':*' : ''}`

/** Calls with these digits anywhere in their phone. */
async function findByDigits(sql: Sql, digits: string, among: Selection, most: number): Promise<string[]> {
  const p = new Parameters()
  const conditions = [...where(["r.phone_digits LIKE ? ESCAPE '!'", `%${escapeLike(digits)}%`]), ...rowsOf(among)]
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(conditions)} ${NEWEST} ${most}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}
