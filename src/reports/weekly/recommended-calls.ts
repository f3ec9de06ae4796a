import type { Sql } from '../../platform/db/sql.ts'
import { loadRuleFinder, type RuleNames } from '../definitions/rules.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import { callScopeCondition, type ReportScope } from '../scope.ts'

/** The number of recommended calls with the lowest scores, and of those with the highest scores, per manager. */
export const MAX_RECOMMENDED_CALLS = 3
/** Shorter calls are not worth hearing. */
const MIN_CALL_SECONDS = 60

/** Contains a call that the weekly report recommends to hear, and the rules that it missed. */
export interface RecommendedCall {
  id: string
  at: string
  score: number
  missed: RuleNames[]
}

interface RankedCall extends Omit<RecommendedCall, 'missed'> {
  managerId: string | null
  fromBelow: number
  fromAbove: number
}

type RecommendedCallFinder = (managerId: string | null) => Record<'worst' | 'best', RecommendedCall[]>

/**
 * Loads the calls with the lowest and the highest scores of all managers in one query.
 * @returns a function that selects the calls of one manager
 */
export async function loadRecommendedCallFinder(sql: Sql, scope: ReportScope): Promise<RecommendedCallFinder> {
  const rank = (order: string) =>
    `row_number() OVER (PARTITION BY r.manager_id ORDER BY r.score ${order}, r.call_at, r.id)::int`
  const rows = await queryRows<RankedCall>(
    sql,
    (p) => `SELECT * FROM (
             SELECT r.id, r.manager_id AS "managerId", ${isoTimeSql('r.call_at')} AS at, r.score::float8 AS score,
                    ${rank('ASC')} AS "fromBelow", ${rank('DESC')} AS "fromAbove"
               FROM recordings r WHERE ${callScopeCondition(p, scope)} AND r.score IS NOT NULL AND r.duration_seconds >= ${MIN_CALL_SECONDS}) r
            WHERE "fromBelow" <= ${MAX_RECOMMENDED_CALLS} OR "fromAbove" <= ${MAX_RECOMMENDED_CALLS}`,
  )
  const missed = await loadMissedRules(sql, rows)
  return (managerId) => {
    const selectRanked = (by: 'fromBelow' | 'fromAbove') =>
      rows
        .filter((row) => row.managerId === managerId && row[by] <= MAX_RECOMMENDED_CALLS)
        .sort((a, b) => a[by] - b[by])
        .map(({ id, at, score }) => ({ id, at, score, missed: missed.get(id) ?? [] }))
    return { worst: selectRanked('fromBelow'), best: selectRanked('fromAbove') }
  }
}

/** Loads the missed rules by call. The rules of each call have the order of their sets. */
async function loadMissedRules(sql: Sql, calls: { id: string }[]): Promise<Map<string, RuleNames[]>> {
  const { rows } = await sql.query<{ call: string; versionId: string; ruleKey: string }>({
    text: `SELECT a.recording_id AS call, f.version_id AS "versionId", f.rule_key AS "ruleKey"
             FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
            WHERE a.recording_id = ANY($1::uuid[]) AND a.is_current AND a.provider IS DISTINCT FROM 'mock'`,
    values: [calls.map(({ id }) => id)],
  })
  const find = await loadRuleFinder(sql, rows)
  const named = rows.map((row) => ({ call: row.call, ...find(row).named }))
  const byCall = new Map<string, RuleNames[]>()
  for (const { call, set, rule } of named.sort((a, b) => a.position - b.position)) {
    byCall.set(call, [...(byCall.get(call) ?? []), { set, rule }])
  }
  return byCall
}
