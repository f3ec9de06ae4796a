import type { Sql } from '../platform/db/sql.ts'
import { SqlParameters } from '../platform/lib/sql-conditions.ts'

/**
 * Runs a statement and returns its rows.
 * @param text returns the statement and adds its values to `p`
 */
export async function queryRows<Row>(sql: Sql, text: (p: SqlParameters) => string): Promise<Row[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<Row & Record<string, unknown>>({ text: text(p), values: p.values })
  return rows
}

/** Formats a timestamp expression in SQL as an ISO 8601 text in UTC, as in JSON. */
export const isoTimeSql = (time: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
