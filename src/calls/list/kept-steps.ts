import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import type { Day } from './counts.ts'
import { Keeper } from './keeper.ts'
import type { Match } from './kept-searches.ts'
import type { TextQuery } from './question.ts'
import { anyOf, coverDays, dayCondition, dayWord, type Step } from './search-days.ts'
import { rowsOf, type Selection } from './selection.ts'

/**
 * All texts that match on the days of a step, the best first, whatever the filter. Ids and ranks stay as Postgres sends
 * and takes arrays in binary form (array_send): 28 bytes a match, and nothing to read or to write here.
 */
interface KeptStep {
  /** The texts numbered later are not among it … */
  lastNumber: string
  /** … nor are calls that came to a day since. */
  days: Day[]
  count: number
  ids: Buffer
  ranks: Buffer
}

/** By tsquery and days: some 0.7 MB each. */
const steps = new Keeper<KeptStep>(16)
/** A step of more is not kept. */
const MOST_MATCHES = 50_000
/** Where more days have changed, the step is looked for anew. */
const MOST_CHANGED = 5

/**
 * The best `most` calls of a selection whose texts match on the days of a step, and how many texts match there.
 *
 * To find and rank 20,000 matches takes most of the time of a search, and is the same for each filter: so it is kept for
 * half a minute, and whoever asks with another filter, or for the next page, has the filter alone applied to it. Rows are
 * looked at as they are now: calls whose text is gone or replaced, or which the filter or the rights no longer choose, are
 * not found; texts that have become ready, and calls that have come to one of the days, are. One that comes from outside of
 * the step's days while another leaves its new day is noticed after the half minute: the day counts as many as before.
 */
export async function findInStep(
  core: Core,
  sql: Sql,
  query: TextQuery,
  among: Selection,
  { step, most }: { step: Step; most: number },
): Promise<{ rows: Match[]; matching: number }> {
  const key = [step.days[0]!.day, step.days.at(-1)!.day, query.text].join(' ')
  const before = await steps.before(core, key)
  const changed = before && changedDays(before.days, step.days)
  const isKept = changed && changed.length <= MOST_CHANGED
  const kept = isKept ? before : await steps.keep(core, key, () => findAll(sql, query, step))
  if (kept.count > MOST_MATCHES) steps.drop(core, key)
  const rows = await choose(sql, query, among, { kept, step, most, changed: isKept ? changed : [] })
  return { rows, matching: kept.count }
}

/** Days on which there are now more or fewer calls than before: one that changes its time is counted on both. */
function changedDays(before: Day[], now: Day[]): Day[] {
  const calls = new Map(before.map((one) => [one.day, one.calls]))
  return now.filter((one) => calls.get(one.day) !== one.calls)
}

async function findAll(sql: Sql, query: TextQuery, step: Step): Promise<KeptStep> {
  const p = new Parameters()
  const { rows } = await sql.query<Omit<KeptStep, 'days'>>({
    // In one statement, so of one moment: what becomes ready later has a larger number.
    text: `WITH matched AS (SELECT * FROM (${matchingOn(p, query, step)}) AS all_days ORDER BY rank DESC, id DESC)
           SELECT (SELECT coalesce(max(ready_number), 0) FROM transcripts) AS "lastNumber", count(*)::integer AS count,
                  array_send(coalesce(array_agg(id), '{}')) AS ids, array_send(coalesce(array_agg(rank), '{}')) AS ranks
             FROM matched`,
    values: p.values,
  })
  return { ...rows[0]!, days: step.days }
}

/**
 * A statement that finds and ranks the texts on the days of a step.
 *
 * The index compares each call with all days that stand in one question, so each day is asked for by itself (20,000
 * matches on 80 days: 34 ms instead of 214). A beginning of many words is gathered from the whole index each time, so it
 * is asked for once, with the days in groups of ten (142 ms instead of 357).
 */
function matchingOn(p: Parameters, query: TextQuery, step: Step): string {
  const asked = `${p.add(query.text)}::tsquery`
  const matching = (days: string) => `${ranked(asked)} WHERE t.search @@ (${asked} && ${days}::tsquery)`
  if (query.hasWideBeginning) return matching(p.add(anyOf(coverDays(step))))
  const days = p.add(step.days.map(({ day }) => dayWord(day)))
  return `SELECT one.* FROM unnest(${days}::text[]) AS day CROSS JOIN LATERAL (${matching('day')}) AS one`
}

export const ranked = (asked: string): string =>
  `SELECT t.recording_id AS id, ts_rank(t.search, ${asked}) AS rank FROM transcripts t`

/** So many more than are asked for, for those that are gone. */
const SPARE = 50

/**
 * The kept matches are looked at in their order until there are enough: of 20,000 that may be the first 2000. That they are
 * still there and of these days is asked of those alone: Postgres would take the days for another filter, which leaves few of them,
 * and read all calls of the days.
 */
async function choose(
  sql: Sql,
  query: TextQuery,
  among: Selection,
  { kept, step, most, changed }: { kept: KeptStep; step: Step; most: number; changed: Day[] },
): Promise<Match[]> {
  const p = new Parameters()
  const last = `${p.add(kept.lastNumber)}::bigint`
  const chosen = p.and(rowsOf(among))
  const onDays = p.and(dayCondition(step.days))
  const { rows } = await sql.query<Match>({
    text: `SELECT r.id, r.rank
             FROM (SELECT m.id, m.rank, r.call_at
                     FROM unnest(${p.add(kept.ids)}::uuid[], ${p.add(kept.ranks)}::real[]) WITH ORDINALITY AS m (id, rank, place)
                     JOIN recordings r ON r.id = m.id
                    WHERE ${chosen} ORDER BY m.place LIMIT ${most + SPARE}) AS r
             JOIN transcripts t ON t.recording_id = r.id AND (t.ready_number > ${last}) IS NOT TRUE
            WHERE ${onDays}
           UNION
           SELECT m.id, m.rank FROM (${laterThan(p, last, query, changed)}) AS m JOIN recordings r ON r.id = m.id
            WHERE ${chosen} AND ${onDays}
            ORDER BY rank DESC, id DESC LIMIT ${most}`,
    values: p.values,
  })
  return rows
}

/** A statement that finds and ranks texts with larger numbers, and those on the days that have changed. */
function laterThan(p: Parameters, last: string, query: TextQuery, changed: Day[]): string {
  const asked = `${p.add(query.text)}::tsquery`
  const later = `${ranked(asked)} WHERE t.ready_number > ${last} AND t.search @@ ${asked}`
  const onChanged = changed.map((one) => {
    return matchingOn(p, query, { days: [one], above: one.day, below: one.day, isRest: false })
  })
  return [later, ...onChanged].join(' UNION ALL ')
}
