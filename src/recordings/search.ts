import type { Sql } from '../db.ts'
import { cleanName } from '../lib/names.ts'
import { escapeLike, Parameters, where, type Where } from '../lib/where.ts'
import { countByDay } from './counts.ts'
import { digitsOf, RANGES, rowsOf, type Selection } from './selection.ts'

/** How many matches a search considers. */
export const BEST_MATCHES = 2000

/** How many calls the first step looks at: enough for a word of every second call. */
const FIRST_STEP = 2500
/** At most so many days are asked for in one statement: each is a word of the question. */
const MAX_DAYS = 128
/** The rest is read whole when it holds about so many times what is wanted, or less. */
const WHOLE_REST = 3

interface Match {
  id: string
  rank: number
}

interface Day {
  /** Days since 1970, UTC. */
  day: number
  calls: number
}

/**
 * The ids of the best matches of a web search in a selection.
 *
 * The search goes back through the days of the calls until it has found enough; what it has found by then is ranked
 * (ts_rank, the newer before its equals), and the best are kept. So a search for a word of every call reads some days
 * and not the whole index, and where no more than BEST_MATCHES match, all of them are found. Unless `textOnly`, calls
 * whose externalCallId, phone or manager begins with the question come before the others.
 */
export async function findBest(
  sql: Sql,
  question: string,
  among: Selection,
  { textOnly }: { textOnly: boolean },
): Promise<string[]> {
  const text = foldText(question)
  const best = new Set(textOnly ? [] : await findNamed(sql, text, among))
  const matches = best.size < BEST_MATCHES ? await findInTexts(sql, text, among) : []
  for (const { id } of matches.sort((a, b) => b.rank - a.rank)) best.add(id)
  return [...best].slice(0, BEST_MATCHES)
}

/**
 * As the index has it: ё is е; what no text can hold is a space. A minus before nothing says nothing, and of many of
 * them websearch_to_tsquery makes an error.
 */
export function foldText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/-+(?=\s|-|$)/g, ' ')
    .replace(/ё/g, 'е')
    .replace(/Ё/g, 'Е')
}

/** Calls with a field that begins with the text, the newest first. */
async function findNamed(sql: Sql, text: string, among: Selection): Promise<string[]> {
  const beginning = text.trim()
  if (!beginning) return []
  const p = new Parameters()
  const like = (start: string) => `LIKE lower(${p.add(`${escapeLike(start)}%`)}) ESCAPE '!'`
  const fields = [`lower(r.external_call_id) ${like(beginning)}`, `lower(r.manager_name) ${like(cleanName(text))}`]
  // A number may be written in many ways.
  if (/^[+\d\s().-]*$/.test(beginning) && digitsOf(beginning)) {
    fields.push(`r.phone_digits LIKE ${p.add(`${digitsOf(beginning)}%`)}`)
  }
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE (${fields.join(' OR ')}) AND ${p.and(rowsOf(among))}
            ORDER BY r.call_at DESC, r.id DESC LIMIT ${BEST_MATCHES}`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Matches by text from the newest day back, until there are enough. */
async function findInTexts(sql: Sql, text: string, among: Selection): Promise<Match[]> {
  const query = await parseQuery(sql, text)
  if (!query) return []
  const days = await countByDay(sql, among)
  const found: Match[] = []
  let seen = 0
  let rest = days.reduce((sum, { calls }) => sum + calls, 0)
  let wanted = FIRST_STEP
  while (days.length > 0 && found.length < BEST_MATCHES) {
    const share = (found.length + 1) / (seen + 1)
    const whole = query.indexable && seen >= FIRST_STEP && share * rest <= WHOLE_REST * BEST_MATCHES
    const step = takeDays(days, wanted, whole)
    found.push(...(await findInDays(sql, query.text, among, step, whole)))
    const calls = step.reduce((sum, { calls }) => sum + calls, 0)
    seen += calls
    rest -= calls
    wanted = Math.min((1.1 * (BEST_MATCHES - found.length) * seen) / (found.length + 1), 8 * seen)
  }
  return found
}

/**
 * The question as Postgres understands it; undefined where it holds no word. It is not indexable where it only
 * excludes: then the days must say where the index begins.
 */
export async function parseQuery(sql: Sql, text: string): Promise<{ text: string; indexable: boolean } | undefined> {
  const { rows } = await sql.query<{ text: string; words: number; tree: string }>({
    text: `SELECT q::text AS text, numnode(q) AS words, querytree(q) AS tree
             FROM websearch_to_tsquery('svc_search', $1) AS q`,
    values: [text],
  })
  const { text: query, words, tree } = rows[0]!
  return words === 0 ? undefined : { text: query, indexable: tree !== 'T' && tree !== '' }
}

/** Takes days from the front: about as many as hold `calls`, or all of them. */
function takeDays(days: Day[], calls: number, all: boolean): Day[] {
  if (all) return days.splice(0)
  let n = 1
  for (let held = days[0]!.calls; n < Math.min(days.length, MAX_DAYS) && held < calls; n++) held += days[n]!.calls
  return days.splice(0, n)
}

/** Matches on these days; `whole`: on all days from the first of them back. The better first, then the newer. */
async function findInDays(sql: Sql, query: string, among: Selection, days: Day[], whole: boolean): Promise<Match[]> {
  const p = new Parameters()
  const asked = p.add(query)
  const onDays = days.map(({ day }) => `'\u0001${day}'`).join(' | ')
  const sought = whole ? `${asked}::tsquery` : `(${asked}::tsquery && ${p.add(onDays)}::tsquery)`
  const conditions = rowsOf(among)
  // Without a filter the index alone knows the days.
  const joined = whole || conditions.length > 0
  const recordings = joined ? 'JOIN recordings r ON r.id = t.recording_id' : ''
  const { rows } = await sql.query<Match>({
    text: `SELECT t.recording_id AS id, ts_rank(t.search, ${asked}::tsquery) AS rank FROM transcripts t ${recordings}
            WHERE t.search @@ ${sought} AND ${p.and(joined ? [...conditions, ...onDaysOf(days)] : [])}
            ORDER BY rank DESC, id DESC`,
    values: p.values,
  })
  return rows
}

/** From the first moment of the last day to the last of the first: days come in descending order. */
function onDaysOf(days: Day[]): Where {
  const at = (day: number) => new Date(day * RANGES.call.width)
  return where(['r.call_at >= ?', at(days.at(-1)!.day)], ['r.call_at < ?', at(days[0]!.day + 1)])
}
