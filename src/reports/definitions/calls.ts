import type { Sql } from '../../platform/db/sql.ts'
import type { CallCounts } from '../schema.ts'
import { queryRows } from '../query-rows.ts'
import { callScopeCondition, spanNumberSql, type ReportScope } from '../scope.ts'
import { splitIntoWeeks } from '../../platform/lib/period.ts'

/** Counts calls r: all (calls), with a transcript (done), and with a score (checked). */
export const CALL_COUNTS_SQL = `count(*)::int AS calls, count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
  count(r.score)::int AS checked`

/** Counts the calls of one manager in one week of a period. */
export interface WeeklyCallCounts extends CallCounts {
  /** The number of the week in the period, from 1. */
  week: number
  managerId: string | null
  /** The sum of the scores, not their mean. */
  score: number
}

/**
 * Counts calls by week and manager.
 * @param more SQL of additional counts
 */
export const countCallsByWeek = (sql: Sql, scope: ReportScope, ...more: string[]): Promise<WeeklyCallCounts[]> =>
  queryRows(sql, (p) => {
    const week = spanNumberSql(p, 'r.call_at', splitIntoWeeks(scope.period))
    const counts = [CALL_COUNTS_SQL, 'coalesce(sum(r.score::float8), 0) AS score', ...more].join(', ')
    return `SELECT ${week} AS week, r.manager_id AS "managerId", ${counts}
              FROM recordings r WHERE ${callScopeCondition(p, scope)} GROUP BY 1, 2`
  })
