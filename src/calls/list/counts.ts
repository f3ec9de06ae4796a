import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters, where, type Where } from '../../platform/lib/where.ts'
import { spellingKey } from '../../people/managers/names.ts'
import { RANGES, rangeWhere, rowsOf, type Range, type RangeName, type Selection } from './selection.ts'

/**
 * The counts of one kind as a table r with the columns that the conditions of a selection speak of: what was added up
 * and what has changed since (see the migration). Those by manager are kept by the manager's name, as the previous release
 * reads them.
 */
export function countsOf(kind: RangeName | 'manager' | 'all'): string {
  const counts = `
    (SELECT bucket, NULLIF(name, '') AS manager_name, status, source, NULLIF(direction, '') AS direction,
            n, milliseconds FROM recording_counts WHERE kind = '${kind}'
     UNION ALL
     SELECT ${kind === 'manager' || kind === 'all' ? '0' : kind}, manager_name, status, source, direction, n, milliseconds
       FROM recording_count_changes)`
  if (kind !== 'manager') return `${counts} r`
  return `(SELECT c.*, coalesce(k.same_as, k.id) AS manager_id FROM ${counts} c
             LEFT JOIN managers k ON k.name_key = ${spellingKey('c.manager_name')}) r`
}

/**
 * A statement that counts a selection exactly, as `total`. It reads the counters where they can tell, else the rows.
 */
export function countStatement(p: Parameters, selection: Selection): string {
  const { flags, manager, ranges, others, found } = selection
  if (found) return `SELECT ${found.length} AS total`
  if (others.length > 0 || ranges.length > 1 || (ranges.length === 1 && manager.length > 0)) {
    return `SELECT count(*)::integer AS total FROM recordings r WHERE ${p.and(rowsOf(selection))}`
  }
  if (ranges[0]) return countRange(p, ranges[0], flags)
  const counts = countsOf(manager.length > 0 ? 'manager' : 'all')
  return `SELECT coalesce(sum(n), 0)::integer AS total FROM ${counts} WHERE ${p.and([...flags, ...manager])}`
}

/** How many recordings a selection holds. */
export async function countSelected(sql: Sql, selection: Selection): Promise<number> {
  const p = new Parameters()
  const { rows } = await sql.query<{ total: number }>({ text: countStatement(p, selection), values: p.values })
  return rows[0]!.total
}

/** Of a limit that it does not know Postgres expects a tenth of the rows: so it finds a plan that it keeps cheap enough to keep. */
const NO_LIMIT = 2 ** 31

/** Whole buckets from the counters, what is cut off at both ends from the rows: in one statement, so of one moment. */
function countRange(p: Parameters, range: Range, flags: Where): string {
  const { whole, edges } = splitRange(range)
  const parts = edges.map((edge) => {
    const rows = p.and([...rangeWhere(edge), ...flags])
    return `SELECT count(*) AS n FROM (SELECT FROM recordings r WHERE ${rows} LIMIT ${p.add(NO_LIMIT)}::bigint) AS edge`
  })
  if (whole) {
    const buckets = where(['r.bucket >= ?', whole.from], ['r.bucket < ?', whole.to])
    const counts = (flags.length === 0 && daysOf(range.name)) || countsOf(range.name)
    parts.push(`SELECT sum(n) AS n FROM ${counts} WHERE r.bucket IS NOT NULL AND ${p.and([...buckets, ...flags])}`)
  }
  return `SELECT coalesce(sum(n), 0)::integer AS total FROM (${parts.join(' UNION ALL ')}) parts`
}

/** The counts by day alone, a seventeenth of those that tell flags apart: 1200 days are added up in 0.4 ms instead of 4.5. */
function daysOf(name: RangeName): string | undefined {
  // Only rows of this kind have a number as their name, and Postgres may look at the others first.
  const bucket = { call: 'bucket', creation: "CASE kind WHEN 'days' THEN name::integer END" }[name as string]
  return (
    bucket &&
    `(SELECT ${bucket} AS bucket, n::integer FROM recording_counts WHERE kind = 'days'
      UNION ALL SELECT ${name}, n FROM recording_count_changes) r`
  )
}

/** The buckets that lie wholly in a range (undefined: none does), and what remains of it. */
export function splitRange(range: Range): { whole?: { from?: number; to?: number }; edges: Range[] } {
  const { width } = RANGES[range.name]
  const from = range.from === undefined ? undefined : Math.ceil(range.from / width)
  const to = range.to === undefined ? undefined : Math.floor(range.to / width)
  if (from !== undefined && to !== undefined && from >= to) return { edges: [range] }
  const edges: Range[] = []
  if (from !== undefined && from * width > range.from!) edges.push({ ...range, to: from * width, closed: false })
  if (to !== undefined && (to * width < range.to! || range.closed)) edges.push({ ...range, from: to * width })
  return { whole: { from, to }, edges }
}

/** A day with its calls. */
export interface Day {
  /** Days since 1970, UTC. */
  day: number
  calls: number
}

/** About how many calls lie on each day of a selection’s time, the newest day first. */
export async function countByDay(sql: Sql, { ranges }: Selection): Promise<Day[]> {
  const p = new Parameters()
  const time = ranges.find(({ name }) => name === 'call')
  const { width } = RANGES.call
  const within = where(
    ['day >= ?', time?.from === undefined ? undefined : Math.floor(time.from / width)],
    ['day <= ?', time?.to === undefined ? undefined : Math.floor(time.to / width)],
  )
  const { rows } = await sql.query<Day>({
    text: `SELECT day, sum(n)::integer AS calls
             FROM (SELECT bucket, n FROM recording_counts WHERE kind = 'days'
                   UNION ALL SELECT call, n FROM recording_count_changes) AS days (day, n)
            WHERE ${p.and(within)} GROUP BY day HAVING sum(n) > 0 ORDER BY day DESC`,
    values: p.values,
  })
  return rows
}

/** Adds up what has changed, so that reading the counts stays short. */
export async function addUpCounts({ pool }: Core): Promise<void> {
  await pool.query({ text: 'SELECT add_up_recording_counts()' })
}
