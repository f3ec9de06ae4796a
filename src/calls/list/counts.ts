import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters, where, type Where } from '../../platform/lib/where.ts'
import { spellingKey } from '../../people/managers/names.ts'
import { RANGES, rangeWhere, rowsOf, type Range, type RangeName, type Selection } from './selection.ts'

/**
 * The counters of one kind as a table r, plus the changes not yet added to them. It has the columns that the conditions of a
 * selection use. The previous release reads counters by the manager's name, so we keep these.
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

/** A statement that counts a selection exactly, as `total`: from the counters if they know all conditions, or from the rows. */
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

/** Counts the recordings of a selection. */
export async function countSelected(sql: Sql, selection: Selection): Promise<number> {
  const p = new Parameters()
  const { rows } = await sql.query<{ total: number }>({ text: countStatement(p, selection), values: p.values })
  return rows[0]!.total
}

/** Whole buckets from the counters and the rest from the rows, in one statement: both see the same snapshot. */
function countRange(p: Parameters, range: Range, flags: Where): string {
  const { whole, edges } = splitRange(range)
  const parts = edges.map(
    (edge) => `SELECT count(*) AS n FROM recordings r WHERE ${p.and([...rangeWhere(edge), ...flags])}`,
  )
  if (whole) {
    const buckets = where(['r.bucket >= ?', whole.from], ['r.bucket < ?', whole.to])
    parts.push(
      `SELECT sum(n) AS n FROM ${countsOf(range.name)} WHERE r.bucket IS NOT NULL AND ${p.and([...buckets, ...flags])}`,
    )
  }
  return `SELECT coalesce(sum(n), 0)::integer AS total FROM (${parts.join(' UNION ALL ')}) parts`
}

/** Splits a range into its whole buckets, undefined if there are none, and the edges that remain. */
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

/** Counts the calls of each day in a selection's time range, ignoring its other conditions, newest day first. */
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

/** Adds the changes to the counters, so that reading both stays fast. */
export async function addUpCounts({ pool }: Core): Promise<void> {
  await pool.query({ text: 'SELECT add_up_recording_counts()' })
}
