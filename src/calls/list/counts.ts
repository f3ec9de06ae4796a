import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { managerSpellingKeySql } from '../../people/managers/name-sql.ts'
import {
  RECORDING_RANGE_COLUMNS,
  recordingRangeCondition,
  recordingSelectionCondition,
  type RecordingColumnRange,
  type RecordingRangeName,
  type RecordingSelection,
} from './selection.ts'

/**
 * Returns SQL for the counters of one kind as a table r, including changes that are not merged yet. The table has the columns
 * status, source and direction; of the kind 'manager' also manager_id. The counters store names of managers instead of ids,
 * because the previous release reads the counters too.
 */
export function recordingCountersSql(kind: RecordingRangeName | 'manager' | 'all'): string {
  const counts = `
    (SELECT bucket, NULLIF(name, '') AS manager_name, status, source, NULLIF(direction, '') AS direction,
            n, milliseconds FROM recording_counts WHERE kind = '${kind}'
     UNION ALL
     SELECT ${kind === 'manager' || kind === 'all' ? '0' : kind}, manager_name, status, source, direction, n, milliseconds
       FROM recording_count_changes)`
  if (kind !== 'manager') return `${counts} r`
  return `(SELECT c.*, coalesce(k.same_as, k.id) AS manager_id FROM ${counts} c
             LEFT JOIN managers k ON k.name_key = ${managerSpellingKeySql('c.manager_name')}) r`
}

/**
 * Returns a statement that counts a selection exactly, as `total`. The statement reads the counters if they cover all conditions,
 * otherwise the rows.
 */
export function countRecordingSelectionSql(p: SqlParameters, selection: RecordingSelection): string {
  const { flags, manager, ranges, others, found } = selection
  if (found) return `SELECT ${found.length} AS total`
  if (others.length > 0 || ranges.length > 1 || (ranges.length === 1 && manager.length > 0)) {
    return `SELECT count(*)::integer AS total FROM recordings r WHERE ${p.and(recordingSelectionCondition(selection))}`
  }
  if (ranges[0]) return countRangeSql(p, ranges[0], flags)
  const counts = recordingCountersSql(manager.length > 0 ? 'manager' : 'all')
  return `SELECT coalesce(sum(n), 0)::integer AS total FROM ${counts} WHERE ${p.and([...flags, ...manager])}`
}

/** Counts the recordings of a selection exactly, from the counters if they cover all conditions. */
export async function countRecordingSelection(sql: Sql, selection: RecordingSelection): Promise<number> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ total: number }>({
    text: countRecordingSelectionSql(p, selection),
    values: p.values,
  })
  return rows[0]!.total
}

/** Counts whole buckets from the counters and the edges from the rows. One statement makes both see the same snapshot. */
function countRangeSql(p: SqlParameters, range: RecordingColumnRange, flags: SqlConditions): string {
  const { whole, edges } = splitRangeIntoBuckets(range)
  const countQueries = edges.map(
    (edge) => `SELECT count(*) AS n FROM recordings r WHERE ${p.and([...recordingRangeCondition(edge), ...flags])}`,
  )
  if (whole) {
    const buckets = toConditions(['r.bucket >= ?', whole.from], ['r.bucket < ?', whole.to])
    countQueries.push(
      `SELECT sum(n) AS n FROM ${recordingCountersSql(range.name)} WHERE r.bucket IS NOT NULL AND ${p.and([...buckets, ...flags])}`,
    )
  }
  return `SELECT coalesce(sum(n), 0)::integer AS total FROM (${countQueries.join(' UNION ALL ')}) parts`
}

/**
 * Splits a range into whole buckets of the counters and the edges before and after them. `whole` is undefined if the range
 * contains no whole bucket.
 */
export function splitRangeIntoBuckets(range: RecordingColumnRange): {
  whole?: { from?: number; to?: number }
  edges: RecordingColumnRange[]
} {
  const { width } = RECORDING_RANGE_COLUMNS[range.name]
  const from = range.from === undefined ? undefined : Math.ceil(range.from / width)
  const to = range.to === undefined ? undefined : Math.floor(range.to / width)
  if (from !== undefined && to !== undefined && from >= to) return { edges: [range] }
  const edges: RecordingColumnRange[] = []
  if (from !== undefined && from * width > range.from!) edges.push({ ...range, to: from * width, closed: false })
  if (to !== undefined && (to * width < range.to! || range.closed)) edges.push({ ...range, from: to * width })
  return { whole: { from, to }, edges }
}

/** The number of calls on one UTC day. A call without a start time counts on the day of its creation. */
export interface DailyCallCount {
  /** Days since 1970 in UTC. */
  day: number
  calls: number
}

/** Counts the calls of each day in a selection's time range, newest day first. Ignores the other conditions of the selection. */
export async function countCallsByDay(sql: Sql, { ranges }: RecordingSelection): Promise<DailyCallCount[]> {
  const p = new SqlParameters()
  const timeRange = ranges.find(({ name }) => name === 'call')
  const { width } = RECORDING_RANGE_COLUMNS.call
  const daysCondition = toConditions(
    ['day >= ?', timeRange?.from === undefined ? undefined : Math.floor(timeRange.from / width)],
    ['day <= ?', timeRange?.to === undefined ? undefined : Math.floor(timeRange.to / width)],
  )
  const { rows } = await sql.query<DailyCallCount>({
    text: `SELECT day, sum(n)::integer AS calls
             FROM (SELECT bucket, n FROM recording_counts WHERE kind = 'days'
                   UNION ALL SELECT call, n FROM recording_count_changes) AS days (day, n)
            WHERE ${p.and(daysCondition)} GROUP BY day HAVING sum(n) > 0 ORDER BY day DESC`,
    values: p.values,
  })
  return rows
}

/** Merges pending changes into the counters, so that reading both stays fast. */
export async function mergeRecordingCountChanges({ pool }: Core): Promise<void> {
  await pool.query({ text: 'SELECT add_up_recording_counts()' })
}
