import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { countByDay, type Day } from './counts.ts'
import { findKept, type Match } from './kept-searches.ts'
import { findInStep, ranked } from './kept-steps.ts'
import { findNamed } from './named.ts'
import { foldText, parseQuery, type TextQuery } from './question.ts'
import { dayCondition, walkDays, type Step } from './search-days.ts'
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
  const find = async () => (query ? findInTexts(core, sql, query, among, days) : [])
  const matches = query && isWhole(among) ? await findKept(core, sql, query.text, find) : await find()
  const first = named.slice(0, Math.max(BEST_MATCHES / 2, BEST_MATCHES - matches.length))
  return [...new Set([...first, ...matches.map(({ id }) => id)])].slice(0, BEST_MATCHES)
}

/** The best matches by text, from the newest day back until there are enough. */
async function findInTexts(core: Core, sql: Sql, query: TextQuery, among: Selection, days: Day[]): Promise<Match[]> {
  const best: Match[] = []
  await walkDays(
    days,
    { enough: RANKED_MATCHES, least: BEST_MATCHES, share: query.share, wholeRest: query.indexable },
    async (step) => {
      if (!step.isRest) {
        const { rows, matching } = await findInStep(core, sql, query, among, { step, most: BEST_MATCHES })
        best.push(...rows)
        return { looked: matching, found: rows.length }
      }
      const rows = await findInRest(sql, query, among, step)
      // Without a filter the rest is asked for with all days, those before too.
      if (rowsOf(among).length === 0) best.length = 0
      best.push(...rows)
      return { looked: rows.length, found: rows.length }
    },
  )
  return best.sort((a, b) => b.rank - a.rank).slice(0, BEST_MATCHES)
}

/**
 * The best matches on all days from the first of a step back; without a filter on all days there are, for the index alone
 * knows them then. Postgres begins with the texts that match or with the calls that the filter chooses, whichever are fewer:
 * of a filter that has led here, few calls are expected.
 */
async function findInRest(sql: Sql, query: TextQuery, among: Selection, { days }: Step): Promise<Match[]> {
  const p = new Parameters()
  const asked = `${p.add(query.text)}::tsquery`
  const conditions = rowsOf(among)
  const chosenBy =
    conditions.length > 0
      ? `JOIN recordings r ON r.id = t.recording_id AND ${p.and([...conditions, ...dayCondition(days)])}`
      : ''
  const { rows } = await sql.query<Match>({
    // Kept as ids and ranks alone: sorting whole rows would write their words to the disk.
    text: `WITH matched AS MATERIALIZED (${ranked(asked)} ${chosenBy} WHERE t.search @@ ${asked})
           SELECT id, rank FROM matched ORDER BY rank DESC, id DESC LIMIT ${BEST_MATCHES}`,
    values: p.values,
  })
  return rows
}
