import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Keeper } from './keeper.ts'

/** A call whose text matches, and how well (ts_rank). */
export interface Match {
  id: string
  rank: number
}

/** What a search of all texts has found; the texts numbered later are not among it. */
interface Kept {
  lastNumber: string
  matches: Match[]
}

/** By tsquery: some 0.2 MB each. */
const searches = new Keeper<Kept>(40)

/**
 * The best matches of a search of all texts. Who asks again, as for the next page, gets the same ones, without those whose
 * text is gone and with those that have become ready since: a search takes 100 to 300 ms of 1,000,000 calls.
 */
export async function findKept(core: Core, sql: Sql, query: string, find: () => Promise<Match[]>): Promise<Match[]> {
  const before = await searches.before(core, query)
  if (before) return upToDate(sql, query, before)
  return (await searches.keep(core, query, () => findNumbered(sql, find))).matches
}

async function findNumbered(sql: Sql, find: () => Promise<Match[]>): Promise<Kept> {
  // Before the search: what becomes ready meanwhile may be found by both, but by one of them at least.
  const { rows } = await sql.query<{ last: string }>({
    text: 'SELECT coalesce(max(ready_number), 0) AS last FROM transcripts',
  })
  return { lastNumber: rows[0]!.last, matches: await find() }
}

/** No text becomes ready with a number below one that was seen, and one that is replaced gets a new number. */
async function upToDate(sql: Sql, query: string, { lastNumber, matches }: Kept): Promise<Match[]> {
  const { rows } = await sql.query<{ id: string; rank: number | null }>({
    text: `SELECT id, NULL AS rank FROM unnest($1::uuid[]) AS id
            WHERE NOT EXISTS (SELECT FROM transcripts t WHERE t.recording_id = id)
           UNION ALL
           SELECT t.recording_id, CASE WHEN t.search @@ $2::tsquery THEN ts_rank(t.search, $2::tsquery) END
             FROM transcripts t WHERE t.ready_number > $3`,
    values: [matches.map(({ id }) => id), query, lastNumber],
  })
  if (rows.length === 0) return matches
  const changed = new Set(rows.map(({ id }) => id))
  const added = rows.filter((row): row is Match => row.rank !== null)
  return bestOf([...matches.filter(({ id }) => !changed.has(id)), ...added])
}

/** The better ones first; ids begin with a time, so the newer comes before its equals. */
const bestOf = (matches: Match[]): Match[] => matches.toSorted((a, b) => b.rank - a.rank || (a.id < b.id ? 1 : -1))
