import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { Parameters } from '../../lib/where.ts'
import { countByDay, type Day } from './counts.ts'
import { findKept, type Match } from './kept-searches.ts'
import { findNamed } from './named.ts'
import { foldText, parseQuery, type TextQuery } from './question.ts'
import { anyOf, coverDays, dayCondition, dayWord, walkDays, type Step } from './search-days.ts'
import { isWhole, rowsOf, type Selection } from './selection.ts'

/** How many matches a search considers. */
const BEST_MATCHES = 2000
/** The best are chosen from at least so many of the newest matches. */
const RANKED_MATCHES = 20_000

/**
 * The ids of the best matches of a web search in a selection, the best first.
 *
 * The search goes back through the days of the calls until it has found enough; what it has found by then is ranked
 * (ts_rank, the newer before its equals), and the best are kept. So a search for a word of every call reads some days
 * and not the whole index, and where no more than RANKED_MATCHES match, all of them are ranked. Unless `textOnly`, calls
 * found by manager, id, file name or phone come before the others, of which half of the places are left to texts.
 */
export async function findBest(
  core: Core,
  sql: Sql,
  question: string,
  among: Selection,
  { textOnly }: { textOnly: boolean },
): Promise<string[]> {
  const days = await countByDay(sql, among)
  const named = textOnly ? [] : await findNamed(sql, question, among, days, BEST_MATCHES)
  const query = await parseQuery(sql, foldText(question))
  const find = async () => (query ? findInTexts(sql, query, among, days) : [])
  const matches = query && isWhole(among) ? await findKept(core, sql, query.text, find) : await find()
  const first = named.slice(0, Math.max(BEST_MATCHES / 2, BEST_MATCHES - matches.length))
  return [...new Set([...first, ...matches.map(({ id }) => id)])].slice(0, BEST_MATCHES)
}

/** The best matches by text, from the newest day back until there are enough. */
async function findInTexts(sql: Sql, query: TextQuery, among: Selection, days: Day[]): Promise<Match[]> {
  const best: Match[] = []
  await walkDays(
    days,
    { enough: RANKED_MATCHES, least: BEST_MATCHES, share: query.share, wholeRest: query.indexable },
    async (step) => {
      const { rows, matching, chosen } = await findInDays(sql, query, among, step)
      // Without a filter the rest is asked for with all days, those before too.
      if (step.isRest && rowsOf(among).length === 0) best.length = 0
      best.push(...rows)
      return { looked: matching, found: chosen }
    },
  )
  return best.sort((a, b) => b.rank - a.rank).slice(0, BEST_MATCHES)
}

/**
 * The best matches on these days; `isRest`: on all days from the first of them back, without a filter on all days there
 * are, for the index alone knows them then. Also how many match there, and how many of these the selection holds.
 *
 * The index compares each call with all days that stand in one question, so each day is asked for by itself (20,000
 * matches on 80 days: 34 ms instead of 214). A beginning of many words is gathered from the whole index each time, so it
 * is asked for once, with the days in groups of ten (142 ms instead of 357).
 */
async function findInDays(
  sql: Sql,
  query: TextQuery,
  among: Selection,
  step: Step,
): Promise<{ rows: Match[]; matching: number; chosen: number }> {
  const p = new Parameters()
  const asked = p.add(query.text)
  const conditions = rowsOf(among)
  const columns = `t.recording_id AS id, ts_rank(t.search, ${asked}::tsquery) AS rank`
  const matching = (sought: string) => `SELECT ${columns} FROM transcripts t WHERE t.search @@ ${sought}`
  const onDays = () =>
    query.hasWideBeginning
      ? matching(`(${asked}::tsquery && ${p.add(anyOf(coverDays(step)))}::tsquery)`)
      : `SELECT one.* FROM unnest(${p.add(step.days.map(({ day }) => dayWord(day)))}::text[]) AS day
           CROSS JOIN LATERAL (${matching(`(${asked}::tsquery && day::tsquery)`)}) AS one`
  const matched = step.isRest ? matching(`${asked}::tsquery`) : onDays()
  const joined = conditions.length > 0
  const chosenBy = joined
    ? `JOIN recordings r ON r.id = m.id WHERE ${p.and([...conditions, ...dayCondition(step.days)])}`
    : ''
  // Kept as ids and ranks alone: sorting or counting whole rows would write their words to the disk.
  const { rows } = await sql.query<Match & { chosen: string; matching: string }>({
    text: `WITH matched AS (${matched}), chosen AS (SELECT m.* FROM matched m ${chosenBy})
           SELECT c.id, c.rank, (SELECT count(*) FROM chosen) AS chosen, (SELECT count(*) FROM matched) AS matching
             FROM chosen c ORDER BY c.rank DESC, c.id DESC LIMIT ${BEST_MATCHES}`,
    values: p.values,
  })
  return { rows, matching: Number(rows[0]?.matching ?? 0), chosen: Number(rows[0]?.chosen ?? 0) }
}
