import type { Sql } from '../../platform/db/sql.ts'

/**
 * Records that the step `calls` has read all calls until now.
 * @param from the time from which the step read; null extends the last period. If `from` is after the end of the last period, a
 * new one begins.
 */
export async function extendCallReadPeriod(sql: Sql, from: string | null): Promise<void> {
  const { rowCount } = await sql.query({
    text: `UPDATE crm_read_periods SET to_at = now()
            WHERE id = (SELECT id FROM crm_read_periods WHERE history_load_id IS NULL ORDER BY to_at DESC, id LIMIT 1)
              AND to_at >= coalesce($1::timestamptz, to_at)`,
    values: [from],
  })
  if (rowCount === 1) return
  await sql.query({
    text: 'INSERT INTO crm_read_periods (from_at, to_at) VALUES (coalesce($1::timestamptz, now()), now())',
    values: [from],
  })
}

/** Records the period of a history load as read. Call it after the last page. */
export async function insertHistoryReadPeriod(sql: Sql, historyLoadId: string): Promise<void> {
  await sql.query({
    text: `INSERT INTO crm_read_periods (history_load_id, from_at, to_at)
           SELECT id, from_at, to_at FROM crm_history_loads WHERE id = $1 ON CONFLICT DO NOTHING`,
    values: [historyLoadId],
  })
}

/**
 * Builds SQL that is true if the read periods cover a whole day.
 * @param day SQL of a date
 * @param zone SQL of a time zone
 */
export const dayFullyReadSql = (day: string, zone: string): string => {
  const [from, to] = [day, `(${day} + 1)`].map((date) => `${date}::timestamp AT TIME ZONE ${zone}`)
  return `coalesce((SELECT range_agg(tstzrange(from_at, to_at)) @> tstzrange(${from}, ${to}) FROM crm_read_periods), false)`
}
