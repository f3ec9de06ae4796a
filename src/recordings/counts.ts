import type { Core } from '../core.ts'
import { pool, type Sql } from '../db.ts'
import { Parameters, where, type Where } from '../lib/where.ts'
import { RANGES, rangeWhere, rowsOf, type Range, type RangeName, type Selection } from './selection.ts'

/**
 * The counts of one kind as a table r with the columns that the conditions of a selection speak of: what was added up
 * and what has changed since (see the migration).
 */
export function countsOf(kind: RangeName | 'manager'): string {
  return `(SELECT bucket, NULLIF(name, '') AS manager_name, status, source, NULLIF(direction, '') AS direction,
                  n, milliseconds FROM recording_counts WHERE kind = '${kind}'
           UNION ALL
           SELECT ${kind === 'manager' ? '0' : kind}, manager_name, status, source, direction, n, milliseconds
             FROM recording_count_changes) r`
}

/** How many recordings a selection holds, exactly. Reads the kept counts where they can tell, else the rows. */
export async function countSelected(sql: Sql, selection: Selection): Promise<number> {
  const { flags, manager, ranges, others } = selection
  const p = new Parameters()
  const text =
    others.length > 0 || ranges.length > 1 || (ranges.length === 1 && manager.length > 0)
      ? `SELECT count(*) AS total FROM recordings r WHERE ${p.and(rowsOf(selection))}`
      : ranges[0]
        ? countRange(p, ranges[0], flags)
        : `SELECT sum(n) AS total FROM ${countsOf('manager')} WHERE ${p.and([...flags, ...manager])}`
  const { rows } = await sql.query<{ total: string | null }>({ text, values: p.values })
  return Number(rows[0]!.total ?? 0)
}

/** Whole buckets from the kept counts, what is cut off at both ends from the rows: in one statement, so of one moment. */
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
  return `SELECT sum(n) AS total FROM (${parts.join(' UNION ALL ')}) parts`
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

/** How many calls lie on each day (UTC, since 1970) of a selection’s time, the newest day first. */
export async function countByDay(sql: Sql, { ranges }: Selection): Promise<{ day: number; calls: number }[]> {
  const p = new Parameters()
  const time = ranges.find(({ name }) => name === 'call')
  const { width } = RANGES.call
  const within = where(
    ['r.bucket >= ?', time?.from === undefined ? undefined : Math.floor(time.from / width)],
    ['r.bucket <= ?', time?.to === undefined ? undefined : Math.floor(time.to / width)],
  )
  const { rows } = await sql.query<{ day: number; calls: number }>({
    text: `SELECT bucket AS day, sum(n)::integer AS calls FROM ${countsOf('call')}
            WHERE r.status = 'DONE' AND ${p.and(within)} GROUP BY bucket HAVING sum(n) > 0 ORDER BY bucket DESC`,
    values: p.values,
  })
  return rows
}

/** Adds up what has changed, so that reading the counts stays short. */
export async function addUpCounts({ db }: Core): Promise<void> {
  await pool(db).query({ text: 'SELECT add_up_recording_counts()' })
}
