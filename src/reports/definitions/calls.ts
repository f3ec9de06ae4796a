import type { Sql } from '../../platform/db/sql.ts'
import type { CallCounts } from '../schema.ts'
import { queryRows } from '../query-rows.ts'
import { callsInScope, spanNumber, type Scope } from '../scope.ts'
import { weeksOf } from '../../platform/lib/period.ts'

/** SQL: counts of calls r, of those with a text (done) and of those with a score (checked). */
export const CALL_COUNTS_SQL = `count(*)::int AS calls, count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(r.score)::int AS checked`

export interface CallsOfWeek extends CallCounts {
  /** Its number in the period, from 1. */
  week: number
  managerId: string | null
  /** The sum of the scores. */
  score: number
}

/** Counts calls by week and manager. @param more SQL of further counts */
export const countCallsByWeek = (sql: Sql, scope: Scope, ...more: string[]): Promise<CallsOfWeek[]> =>
  queryRows(sql, (p) => {
    const week = spanNumber(p, 'r.call_at', weeksOf(scope.period))
    const counts = [CALL_COUNTS_SQL, 'coalesce(sum(r.score::float8), 0) AS score', ...more].join(', ')
    return `SELECT ${week} AS week, r.manager_id AS "managerId", ${counts}
              FROM recordings r WHERE ${callsInScope(p, scope)} GROUP BY 1, 2`
  })
