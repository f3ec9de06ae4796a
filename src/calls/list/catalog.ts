import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { recordingCountersSql, splitRangeIntoBuckets } from './counts.ts'
import type { RecordingStatus } from '../recordings/entity.ts'
import type { RecordingFilterValues } from './filters.ts'
import type { RecordingCatalogJson } from './overview-schema.ts'
import { createRecordingSelection } from './create-selection.ts'
import { recordingRangeCondition, recordingSelectionCondition, type RecordingSelection } from './selection.ts'

interface MonthRow {
  /** Year and month, such as 2026-03. */
  month: string
  status: RecordingStatus
  n: number
  milliseconds: number
}

/** Counts the calls that match the filters by year and month in APP_TIMEZONE, newest month first. */
export async function loadRecordingCatalog(
  core: Core,
  actor: Actor,
  filters: RecordingFilterValues,
): Promise<RecordingCatalogJson> {
  const sql = core.pool
  const selection = await createRecordingSelection(core, sql, actor, filters, { transcripts: false })
  const { manager, ranges, others, found } = selection
  const hasCounters =
    !found && manager.length === 0 && others.length === 0 && ranges.every(({ name }) => name === 'call')
  const p = new SqlParameters()
  const months = (hasCounters ? monthsFromCountersSql : monthsFromRowsSql)(p, selection, core.config.APP_TIMEZONE)
  const { rows } = await sql.query<MonthRow>({
    text: `SELECT to_char(month, 'YYYY-MM') AS month, status, sum(n)::double precision AS n,
                  sum(milliseconds)::double precision AS milliseconds
             FROM (${months}) AS months GROUP BY month, status HAVING sum(n) > 0 ORDER BY months.month DESC`,
    values: p.values,
  })
  return presentCatalog(rows)
}

/** Returns SQL for the month of a time. Limits it to December 9999, the last month with a four-digit year. */
const monthSql = (zone: string, moment: string): string =>
  `least(date_trunc('month', ${moment} AT TIME ZONE ${zone}), timestamp '9999-12-01')`

/**
 * Returns SQL that counts whole UTC days from the counters. Counts rows only for days that contain two months of the time zone,
 * or that the filter cuts.
 */
function monthsFromCountersSql(p: SqlParameters, { flags, ranges }: RecordingSelection, timeZone: string): string {
  const zone = p.add(timeZone)
  const monthOf = (seconds: string) => monthSql(zone, `to_timestamp(${seconds})`)
  const range = ranges[0] && { ...ranges[0] }
  const wholeBuckets = range ? splitRangeIntoBuckets(range).whole : {}
  const from = wholeBuckets?.from === undefined ? '' : `AND bucket >= ${p.add(wholeBuckets.from)}`
  const to = wholeBuckets?.to === undefined ? '' : `AND bucket < ${p.add(wholeBuckets.to)}`
  return `
    WITH days AS (
      SELECT bucket, status, sum(n) AS n, sum(milliseconds) AS milliseconds FROM ${recordingCountersSql('call')}
       WHERE ${p.and(flags)} GROUP BY bucket, status
    ), bounded AS (
      SELECT bucket, ${monthOf('bucket * 86400::bigint')} AS month,
             ${monthOf('bucket * 86400::bigint')} = ${monthOf('bucket * 86400::bigint + 86399')}
               AND ${wholeBuckets ? `true ${from} ${to}` : 'false'} AS whole
        FROM (SELECT DISTINCT bucket FROM days) AS buckets
    )
    SELECT month, status, n, milliseconds FROM days JOIN bounded USING (bucket) WHERE whole
    UNION ALL
    SELECT ${monthSql(zone, 'r.call_at')}, r.status, 1, coalesce(round(r.duration_seconds * 1000), 0)
      FROM bounded JOIN recordings r ON r.call_at >= to_timestamp(bucket * 86400::bigint)
                                   AND r.call_at < to_timestamp((bucket + 1) * 86400::bigint)
     WHERE NOT whole AND ${p.and([...(range ? recordingRangeCondition(range) : []), ...flags])}`
}

function monthsFromRowsSql(p: SqlParameters, selection: RecordingSelection, timeZone: string): string {
  return `
    SELECT ${monthSql(p.add(timeZone), 'r.call_at')} AS month, r.status, count(*) AS n,
           coalesce(sum(round(r.duration_seconds * 1000)), 0) AS milliseconds
      FROM recordings r WHERE ${p.and(recordingSelectionCondition(selection))} GROUP BY 1, 2`
}

/** Groups rows by year and month. The rows must be sorted by month. */
function presentCatalog(rows: MonthRow[]): RecordingCatalogJson {
  const years: RecordingCatalogJson['years'] = []
  for (const { month: label, status, n, milliseconds } of rows) {
    const number = Number(label.slice(0, label.indexOf('-')))
    if (years.at(-1)?.year !== number) years.push({ year: number, total: 0, months: [] })
    const year = years.at(-1)!
    if (year.months.at(-1)?.month !== label) {
      year.months.push({ month: label, total: 0, done: 0, failed: 0, durationSeconds: 0 })
    }
    const month = year.months.at(-1)!
    year.total += n
    month.total += n
    if (status === 'DONE') month.done += n
    if (status === 'FAILED') month.failed += n
    month.durationSeconds = Math.round(month.durationSeconds * 1000 + milliseconds) / 1000
  }
  return { years }
}
